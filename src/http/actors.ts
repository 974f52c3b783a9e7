/** GET /shards/{shard}/actors. */

import { contentOf } from "../document/content.ts";
import { actorListContent } from "../document/insights.ts";
import { selfLink } from "../document/links.ts";
import { restOf } from "../document/stitch.ts";
import { actorTable, COUNTED_MODES, uncounted } from "../domain/actors.ts";
import { MAX_ACTORS } from "../query/parameters.ts";
import { parseActorsQuery } from "../query/parse-query.ts";
import type { ActorsQuery } from "../query/query.ts";
import { actorLabel } from "../store/core/actors.ts";
import { DamagedData } from "../store/store.ts";
import { ACTOR_STATS } from "../store/tables.ts";
import {
  NO_MATCHES,
  parseQuery,
  type ShardRequest,
  type ShardResult,
  searchable,
} from "./shard-request.ts";

/** Bounds the cost of a request, whatever records contain. */
const MAX_ROWS = 50_000;

export async function getActors(request: ShardRequest): Promise<ShardResult> {
  const { url, now, maxOffset, results } = request;
  const context = { now, maxOffset, includePaths: NONE, types: NONE };
  const query = parseQuery(parseActorsQuery, request, "actors", context);
  const read = () => readActors(request, query);
  const { content, meta } = await results.findCostly(request, "actors", now, read);
  request.watch.lap("store");
  const rest = restOf(selfLink(url, query.given), meta);
  return { document: { content, rest }, records: 0, matches: NO_MATCHES, tag: "collection" };
}

const NONE: ReadonlySet<string> = new Set();

async function readActors({ reader }: ShardRequest, { filters, sort }: ActorsQuery) {
  const { gameModes = COUNTED_MODES, patchVersions } = filters;
  const found = await reader.actorStats({
    gameModes,
    patchVersions: patchVersions && searchable(patchVersions),
    limit: MAX_ROWS,
  });
  const wrong = uncounted(found.rows);
  if (wrong) throw new DamagedData(ACTOR_STATS.name, actorLabel(wrong));
  const { matches, actors } = actorTable(found.rows, sort);
  const isTruncated = found.isTruncated || actors.length > MAX_ACTORS;
  return {
    content: contentOf(actorListContent(actors.slice(0, MAX_ACTORS))),
    meta: { matches, actors: actors.length, isTruncated },
  };
}
