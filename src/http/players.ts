/** GET /shards/{shard}/players, /shards/{shard}/players/{id} and /shards/{shard}/player-names. */

import { contentOf } from "../document/content.ts";
import { nameListContent, playerContent, playerListContent } from "../document/stitch.ts";
import { closestNames, keysToRead } from "../domain/similar-names.ts";
import { MAX_NAMES, MAX_OMITTED, MAX_PLAYERS } from "../query/parameters.ts";
import { parseNamesQuery, parsePlayersQuery, parseSingleQuery } from "../query/parse-query.ts";
import type { ParseContext, PlayersQuery } from "../query/query.ts";
import type { NamedPlayer, PlayerListing, Reader, Vocabulary } from "../store/store.ts";
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

export async function getPlayerNames(request: ShardRequest): Promise<ShardResult> {
  const { now, maxOffset } = request;
  const context = { now, maxOffset, includePaths: NONE, types: NONE };
  const query = parseQuery(parseNamesQuery, request, "names", context);
  const found = await findNear(query.near, request.reader);
  request.watch.lap("store");
  const content = contentOf(nameListContent(found, request.shard));
  const document = unpagedDocument(request, query, content);
  return { document, records: found.length, matches: NO_MATCHES, tag: "collection" };
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

/** So that players who share a name leave room for other names. */
const MAX_PLAYERS_OF_A_NAME = 3;

async function findNear(near: string, reader: Reader): Promise<NamedPlayer[]> {
  const { keys, before, after } = keysToRead(near);
  const around = await reader.namesAround(keys, before, after);
  // The exact name may come after many similar ones. If no player has it, the read below drops it.
  const names = closestNames(near, new Set([near, ...around]), MAX_NAMES + 1);
  const found = await reader.playersWithNames(names, MAX_PLAYERS_OF_A_NAME);
  return found.slice(0, MAX_NAMES);
}
