/** In charge of the four endpoints: from a query string to the document that answers it. */

import { crc32 } from "node:zlib";
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
import type { Endpoint } from "../query/parameters.ts";
import {
  type Parsed,
  parseMatchesQuery,
  parsePlayersQuery,
  parseSingleQuery,
} from "../query/parse.ts";
import type { Bearers, GivenParameters, MatchesQuery, PlayersQuery } from "../query/query.ts";
import type { PlayerListing, Reader, Selection } from "../store/store.ts";
import type { Profile } from "./profile.ts";
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
  profile: Profile;
}

export interface Answer {
  document: Document;
  /** Single resources have strong tags, collections weak ones. */
  tag: "strong" | "weak";
}

export type ShardEndpoint = (call: ShardCall) => Promise<Answer>;

export async function getMatches(call: ShardCall): Promise<Answer> {
  const query = read(parseMatchesQuery, call, "matches", await matchContext(call));
  const bearers = await findBearers(query, call.reader);
  const page = await call.reader.matches(select(query, bearers));
  if (page.matches.length === 0) checkEmpty(call, "match");
  return {
    document: {
      content: matchListContent(page, query, call.profile.decorate),
      rest: restOf({
        links: matchesLinks(call.address, query, page, bearers),
        meta: windowMeta(query),
      }),
    },
    tag: "weak",
  };
}

export async function getMatch(call: ShardCall): Promise<Answer> {
  const query = read(parseSingleQuery, call, "single", await matchContext(call));
  const bundle = await call.reader.match(call.id);
  if (!bundle) throw notFound("match");
  return linkedToItself(call, query, matchContent(bundle, query, call.profile.decorate), "strong");
}

export async function getPlayers(call: ShardCall): Promise<Answer> {
  const query = read(parsePlayersQuery, call, "players", await playerContext(call));
  const players = await choosePlayers(query, call.reader);
  if (players.length === 0) checkEmpty(call, "player");
  const content = playerListContent(players, query, call.profile.decorate);
  return linkedToItself(call, query, content, "weak");
}

export async function getPlayer(call: ShardCall): Promise<Answer> {
  const query = read(parseSingleQuery, call, "single", await playerContext(call));
  const [player] = await call.reader.players([call.id]);
  if (!player) throw notFound("player");
  return linkedToItself(call, query, playerContent(player, query, call.profile.decorate), "strong");
}

/** What has no further pages has one link. */
function linkedToItself(
  { address }: ShardCall,
  { given }: { given: GivenParameters },
  content: Document["content"],
  tag: Answer["tag"],
): Answer {
  return { document: { content, rest: restOf({ links: selfLink(address, given) }) }, tag };
}

/**
 * A name stands for every player that bears it now, a tag for every team; in the middle of a walk,
 * for those that bore it when the walk began.
 */
async function findBearers(
  { filters: { playerNames, teamNames }, place }: MatchesQuery,
  reader: Reader,
): Promise<Bearers | undefined> {
  if (!playerNames && !teamNames) return undefined;
  const names = crc32(JSON.stringify([playerNames, teamNames]));
  const known = place.from === "offset" ? undefined : place.gap.bearers;
  if (known?.names === names) return known;
  return {
    names,
    players: playerNames ? await reader.playerIdsNamed(playerNames) : [],
    teams: teamNames ? await reader.teamIdsNamed(teamNames) : [],
  };
}

function select(query: MatchesQuery, bearers: Bearers | undefined): Selection {
  const { filters, window, sort, place, limit } = query;
  return {
    window,
    sort,
    place,
    limit,
    players: [
      ...(filters.playerIds ? [filters.playerIds] : []),
      ...(filters.playerNames && bearers ? [bearers.players] : []),
    ],
    teams: filters.teamNames && bearers ? [bearers.teams] : [],
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
  const { now, maxOffset, reader, profile } = call;
  if (call.query === "") return { now, maxOffset, includePaths: USUAL_PATHS, types: USUAL_TYPES };
  const extra = await reader.vocabulary();
  return {
    now,
    maxOffset,
    includePaths: USUAL_PATHS.union(extra.includePaths).union(profile.includePaths),
    types: USUAL_TYPES.union(extra.types),
  };
}

async function playerContext(call: ShardCall): Promise<ParseContext> {
  return { ...(await matchContext(call)), includePaths: NO_PATHS };
}

/** Reads the query string, as far as the profile leaves it, with the endpoint's parser. */
function read<Q>(
  parse: (raw: string, context: ParseContext) => Parsed<Q>,
  { query, profile }: ShardCall,
  endpoint: Endpoint,
  context: ParseContext,
): Q {
  const parsed = parse(profile.query(query, endpoint, context.types), context);
  if (parsed.ok) return parsed.query;
  throw new Refusal(parsed.problems);
}

function checkEmpty({ profile }: ShardCall, what: "match" | "player"): void {
  if (!profile.emptyIsMissing) return;
  throw refuse(
    "not-found",
    `No ${what} is found here. Check the filters${what === "match" ? ", the time window and the page" : ""}.`,
  );
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
