/** GET /shards/{shard}/players/{id}/played-with. */

import { restOf } from "../../document/assemble.ts";
import { jsonContent } from "../../document/content.ts";
import { selfLink } from "../../document/links.ts";
import { sidesIn } from "../../document/record.ts";
import { COUNTED_MODES } from "../../domain/modes.ts";
import { formatTimestamp } from "../../domain/time.ts";
import {
  notFound,
  readQuery,
  type ShardRequest,
  type ShardResult,
  searchable,
} from "../../endpoint/shard-request.ts";
import { windowOf } from "../../query/window.ts";
import type { Lineup, Selection } from "../../store/store.ts";
import { DEFAULT_PLAYERS, PLAYED_WITH } from "./parameters.ts";
import { MAX_MATCHES, type OtherPlayer, playedWith, sidesByResult } from "./together.ts";

export async function getPlayedWith(request: ShardRequest): Promise<ShardResult> {
  const { now, id, url } = request;
  const { values, given } = readQuery(request, PLAYED_WITH);
  const { "page[limit]": limit = DEFAULT_PLAYERS } = values;
  const days = windowOf(undefined, undefined, now);
  const found = await request.results.find(request, `played with ${id}`, days, () =>
    findPlayers(request, days, limit),
  );
  const { content, records, matches, isTruncated } = found;
  const window = { start: formatTimestamp(days.start), end: formatTimestamp(days.end) };
  const links = selfLink(url, given);
  const document = {
    content,
    rest: restOf(links, { matches, window, isTruncated }),
    lasting: restOf(links, { matches, isTruncated }),
  };
  return { document, records, tag: "collection" };
}

async function findPlayers(
  { reader, id }: ShardRequest,
  window: Selection["window"],
  limit: number,
) {
  const [player] = await reader.players(searchable([id]));
  if (!player) throw notFound("player");
  const { lineups, hasMore } = await reader.lineups({
    window,
    sort: "-createdAt",
    pageStart: { from: "offset", offset: 0 },
    limit: MAX_MATCHES,
    players: [[id]],
    teams: [],
    gameModes: [...COUNTED_MODES],
    patchVersions: undefined,
  });
  const others = playedWith(id, lineups.map(playedMatch)).slice(0, limit);
  const names = namesIn(lineups);
  return {
    content: jsonContent(others.map((other) => resourceOf(other, names.get(other.id)!))),
    records: others.length,
    matches: lineups.length,
    isTruncated: hasMore,
  };
}

/** Most matches need not be inflated. */
const playedMatch = ({ createdAt, players, match }: Lineup) => ({
  createdAt,
  sides: sidesByResult(players) ?? sidesIn(match),
});

const namesIn = (lineups: readonly Lineup[]): ReadonlyMap<string, string> =>
  new Map(lineups.flatMap(({ players }) => players.map(({ id, name }) => [id, name])));

const resourceOf = ({ id, with: allied, against, lastPlayedAt }: OtherPlayer, name: string) => ({
  type: "played-with",
  id,
  attributes: { name, with: allied, against, lastPlayedAt: formatTimestamp(lastPlayedAt) },
  relationships: { player: { data: { type: "player", id } } },
});
