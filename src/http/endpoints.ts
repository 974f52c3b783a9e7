/** In charge of the four endpoints: from a query string to the document that answers it. */

import { matchesLinks, selfLink } from "../document/links.ts";
import {
  type Document,
  matchContent,
  matchListContent,
  playerContent,
  playerListContent,
  restOf,
} from "../document/stitch.ts";
import { formatTimestamp } from "../domain/time.ts";
import { INCLUDE_PATHS, RESOURCE_TYPES } from "../domain/vocabulary.ts";
import type { ParseContext } from "../query/context.ts";
import { MAX_PLAYERS } from "../query/limits.ts";
import {
  type Parsed,
  parseMatchesQuery,
  parsePlayersQuery,
  parseSingleQuery,
} from "../query/parse.ts";
import type { MatchesQuery, PlayersQuery } from "../query/query.ts";
import type { PlayerListing, Reader, Selection } from "../store/store.ts";
import { Refusal, refuse } from "./refusal.ts";

/** A request that has passed every check but those of its parameters. */
export interface ShardCall {
  reader: Reader;
  id: string;
  query: string;
  /** The address of this resource, for links. */
  address: string;
  now: number;
  maxOffset: number;
}

export interface Answer {
  document: Document;
  /** Single resources have strong tags, collections weak ones. */
  tag: "strong" | "weak";
}

export type ShardEndpoint = (call: ShardCall) => Promise<Answer>;

export async function getMatches(call: ShardCall): Promise<Answer> {
  const query = read(parseMatchesQuery(call.query, await matchContext(call)));
  const page = await call.reader.matches(await select(query, call.reader));
  return {
    document: {
      content: matchListContent(page, query),
      rest: restOf({ links: matchesLinks(call.address, query, page), meta: windowMeta(query) }),
    },
    tag: "weak",
  };
}

export async function getMatch(call: ShardCall): Promise<Answer> {
  const query = read(parseSingleQuery(call.query, await matchContext(call)));
  const bundle = await call.reader.match(call.id);
  if (!bundle) throw notFound("match");
  const links = selfLink(call.address, query.given);
  return {
    document: { content: matchContent(bundle, query), rest: restOf({ links }) },
    tag: "strong",
  };
}

export async function getPlayers(call: ShardCall): Promise<Answer> {
  const query = read(parsePlayersQuery(call.query, playerContext(call)));
  const players = await choosePlayers(query, call.reader);
  const links = selfLink(call.address, query.given);
  return {
    document: { content: playerListContent(players, query), rest: restOf({ links }) },
    tag: "weak",
  };
}

export async function getPlayer(call: ShardCall): Promise<Answer> {
  const query = read(parseSingleQuery(call.query, playerContext(call)));
  const [player] = await call.reader.players([call.id]);
  if (!player) throw notFound("player");
  const links = selfLink(call.address, query.given);
  return {
    document: { content: playerContent(player, query), rest: restOf({ links }) },
    tag: "strong",
  };
}

/** A name stands for every player that bears it now, a tag for every team. */
async function select(query: MatchesQuery, reader: Reader): Promise<Selection> {
  const { filters, window, sort, place, limit } = query;
  return {
    window,
    sort,
    place,
    limit,
    players: [
      ...(filters.playerIds ? [filters.playerIds] : []),
      ...(filters.playerNames ? [await reader.playerIdsNamed(filters.playerNames)] : []),
    ],
    teams: filters.teamNames ? [await reader.teamIdsNamed(filters.teamNames)] : [],
    gameModes: filters.gameModes,
    patchVersions: filters.patchVersions,
  };
}

/** In the order of the filter's values, ids before names; both filters together narrow. */
async function choosePlayers(
  { playerIds, playerNames }: PlayersQuery,
  reader: Reader,
): Promise<PlayerListing[]> {
  if (playerIds) {
    const players = await reader.players(playerIds);
    const fitting = playerNames
      ? players.filter(({ name }) => playerNames.includes(name))
      : players;
    return fitting.slice(0, MAX_PLAYERS);
  }
  if (!playerNames) return reader.recentPlayers(MAX_PLAYERS);
  const players: PlayerListing[] = [];
  for (const name of playerNames) {
    if (players.length >= MAX_PLAYERS) break;
    players.push(...(await reader.playersNamed(name, MAX_PLAYERS - players.length)));
  }
  return players;
}

const NO_PATHS: ReadonlySet<string> = new Set();
const USUAL_PATHS: ReadonlySet<string> = new Set(INCLUDE_PATHS);
const USUAL_TYPES: ReadonlySet<string> = new Set(RESOURCE_TYPES);

/** What the shard's records carry beyond the usual is looked up only for queries that may name it. */
async function matchContext(call: ShardCall): Promise<ParseContext> {
  const { now, maxOffset, reader } = call;
  if (call.query === "") return { now, maxOffset, includePaths: USUAL_PATHS, types: USUAL_TYPES };
  const extra = await reader.vocabulary();
  return {
    now,
    maxOffset,
    includePaths: USUAL_PATHS.union(extra.includePaths),
    types: USUAL_TYPES.union(extra.types),
  };
}

function playerContext({ now, maxOffset }: ShardCall): ParseContext {
  return { now, maxOffset, includePaths: NO_PATHS, types: USUAL_TYPES };
}

function read<Q>(parsed: Parsed<Q>): Q {
  if (parsed.ok) return parsed.query;
  throw new Refusal(parsed.problems);
}

function windowMeta({ window }: MatchesQuery) {
  return {
    window: { start: formatTimestamp(window.start), end: formatTimestamp(window.end) },
  };
}

/** The same words whether a record was never received or is withheld. */
function notFound(what: "match" | "player"): Refusal {
  return refuse(
    "not-found",
    `There is no ${what} with this id in this shard. Ids are case-sensitive and belong to one shard.`,
  );
}
