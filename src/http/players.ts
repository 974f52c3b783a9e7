/** GET /shards/{shard}/players and /shards/{shard}/players/{id}. */

import { playerContent } from "../document/assemble.ts";
import { contentOf } from "../document/content.ts";
import { type Awaitable, after } from "../domain/awaitable.ts";
import {
  checkEmpty,
  notFound,
  readShapedQuery,
  type ShardRequest,
  type ShardResult,
  searchable,
  shapeOf,
  unpagedDocument,
} from "../endpoint/shard-request.ts";
import type { ValuesOf } from "../query/endpoint.ts";
import { MAX_OMITTED, MAX_PLAYERS, PLAYERS, SINGLE } from "../query/parameters.ts";
import type { PlayerListing, Reader } from "../store/store.ts";

/** Players have no related resources. */
const NO_PATHS: ReadonlySet<string> = new Set();

export async function getPlayers(request: ShardRequest): Promise<ShardResult> {
  const query = await readShapedQuery(request, PLAYERS, NO_PATHS);
  const { reader, profile, results } = request;
  const found = await results.find(request, "players", undefined, async () => {
    const limit = query.values["page[limit]"] ?? MAX_PLAYERS;
    const all = await findPlayers(query.values, limit, reader);
    const players = all.slice(0, limit);
    const omitted = Math.min(all.length - players.length, MAX_OMITTED);
    const content = contentOf(playerContent("list", players, shapeOf(query), profile.additions));
    return { content, records: players.length, omitted };
  });
  const { content, records, omitted } = found;
  if (records === 0) checkEmpty(request, "player");
  const meta = omitted > 0 ? { omitted } : undefined;
  const document = unpagedDocument(request, query, content, meta);
  return { document, records, tag: "collection" };
}

export const getPlayer = (request: ShardRequest): Awaitable<ShardResult> =>
  after(readShapedQuery(request, SINGLE, NO_PATHS), (query) =>
    after(request.reader.players(searchable([request.id])), ([player]) => {
      if (!player) throw notFound("player");
      const content = contentOf(
        playerContent("single", [player], shapeOf(query), request.profile.additions),
      );
      const document = unpagedDocument(request, query, content);
      return { document, records: 1, tag: "single" };
    }),
  );

/**
 * In the order of the filter values. Ids and names together: players that match both. With a filter also players beyond
 * the limit, to count them.
 */
async function findPlayers(
  values: ValuesOf<typeof PLAYERS.parameters>,
  limit: number,
  reader: Reader,
): Promise<PlayerListing[]> {
  const { "filter[playerIds]": playerIds, "filter[playerNames]": playerNames } = values;
  if (playerIds) {
    const players = await reader.players(searchable(playerIds));
    return playerNames ? players.filter(({ name }) => playerNames.includes(name)) : players;
  }
  if (!playerNames) return reader.recentPlayers(limit);
  return reader.playersNamed(searchable(playerNames), MAX_PLAYERS + MAX_OMITTED);
}
