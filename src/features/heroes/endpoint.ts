/** GET /shards/{shard}/heroes. */

import { jsonContent } from "../../document/content.ts";
import { COUNTED_MODES } from "../../domain/modes.ts";
import {
  readQuery,
  type ShardRequest,
  type ShardResult,
  searchable,
  unpagedDocument,
} from "../../endpoint/shard-request.ts";
import type { ValuesOf } from "../../query/endpoint.ts";
import { DamagedData } from "../../store/store.ts";
import { HEROES, MAX_HEROES } from "./parameters.ts";
import { heroTable, uncounted } from "./statistics.ts";
import { HERO_STATS, labelOf, readHeroes } from "./stored.ts";

/** Bounds the cost of a request, whatever records contain. */
const MAX_ROWS = 50_000;

export async function getHeroes(request: ShardRequest): Promise<ShardResult> {
  const { now, results } = request;
  const query = readQuery(request, HEROES);
  const read = () => findHeroes(request, query.values);
  const { content, meta } = await results.findCostly(request, "heroes", now, read);
  const document = unpagedDocument(request, query, content, meta);
  return { document, records: 0, tag: "collection" };
}

async function findHeroes(
  { reader }: ShardRequest,
  {
    "filter[gameMode]": gameModes = [...COUNTED_MODES],
    "filter[patchVersion]": patches,
    sort = "-matches",
  }: ValuesOf<typeof HEROES.parameters>,
) {
  const patchVersions = patches && searchable(patches);
  const found = await reader.read(() => readHeroes({ gameModes, patchVersions, limit: MAX_ROWS }));
  const wrong = uncounted(found.rows);
  if (wrong) throw new DamagedData(HERO_STATS.name, labelOf(wrong));
  const { matches, heroes } = heroTable(found.rows, sort);
  const isTruncated = found.isTruncated || heroes.length > MAX_HEROES;
  const listed = heroes.slice(0, MAX_HEROES);
  return {
    content: jsonContent(
      listed.map(({ hero, ...attributes }) => ({ type: "hero", id: hero, attributes })),
    ),
    meta: { matches, heroes: heroes.length, isTruncated },
  };
}
