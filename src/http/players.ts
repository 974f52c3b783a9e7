/** GET /shards/{shard}/players and /shards/{shard}/players/{id}. */

import { contentOf } from "../document/content.ts";
import { playerContent, playerListContent } from "../document/stitch.ts";
import { MAX_OMITTED, MAX_PLAYERS } from "../query/parameters.ts";
import { parsePlayersQuery, parseSingleQuery } from "../query/parse-query.ts";
import type { ParseContext, PlayersQuery } from "../query/query.ts";
import type { PlayerListing, Reader, Vocabulary } from "../store/store.ts";
import {
  checkEmpty,
  extraVocabulary,
  NO_MATCHES,
  notFound,
  parseContext,
  parseQuery,
  type ShardRequest,
  type ShardResult,
  searchable,
  unpagedDocument,
} from "./shard-request.ts";

export async function getPlayers(request: ShardRequest): Promise<ShardResult> {
  const query = parseQuery(
    parsePlayersQuery,
    request,
    "players",
    playerContext(request, await extraVocabulary(request)),
  );
  const { reader, profile, results } = request;
  const found = await results.find(request, "players", undefined, async () => {
    const all = await findPlayers(query, reader);
    const players = all.slice(0, query.limit);
    const omitted = Math.min(all.length - players.length, MAX_OMITTED);
    const content = contentOf(playerListContent(players, query, profile.additions));
    return { content, records: players.length, omitted };
  });
  const { content, records, omitted } = found;
  request.watch.lap("store");
  if (records === 0) checkEmpty(request, "player");
  const meta = omitted > 0 ? { omitted } : undefined;
  const document = unpagedDocument(request, query, content, meta);
  return { document, records, matches: NO_MATCHES, tag: "collection" };
}

export async function getPlayer(request: ShardRequest): Promise<ShardResult> {
  const query = parseQuery(
    parseSingleQuery,
    request,
    "single",
    playerContext(request, await extraVocabulary(request)),
  );
  const [player] = await request.reader.players(searchable([request.id]));
  request.watch.lap("store");
  if (!player) throw notFound("player");
  const content = contentOf(playerContent(player, query, request.profile.additions));
  const document = unpagedDocument(request, query, content);
  return { document, records: 1, matches: NO_MATCHES, tag: "single" };
}

const NONE: ReadonlySet<string> = new Set();

function playerContext(request: ShardRequest, extra: Vocabulary): ParseContext {
  return { ...parseContext(request, extra), includePaths: NONE };
}

/**
 * In the order of the filter values. Ids and names together: players that match both. With a filter also players beyond
 * the limit, to count them.
 */
async function findPlayers(
  { playerIds, playerNames, limit }: PlayersQuery,
  reader: Reader,
): Promise<PlayerListing[]> {
  if (playerIds) {
    const players = await reader.players(searchable(playerIds));
    return playerNames ? players.filter(({ name }) => playerNames.includes(name)) : players;
  }
  if (!playerNames) return reader.recentPlayers(limit);
  return reader.playersNamed(searchable(playerNames), MAX_PLAYERS + MAX_OMITTED);
}
