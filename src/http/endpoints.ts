/** In charge of the endpoints for matches and players: from a query string to the document that answers it. */

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
import { type Endpoint, MAX_PLAYERS } from "../query/parameters.ts";
import {
  type Parsed,
  parseMatchesQuery,
  parsePlayersQuery,
  parseSingleQuery,
} from "../query/parse.ts";
import type {
  Bearers,
  Cursor,
  Gap,
  GivenParameters,
  MatchesQuery,
  ParseContext,
  Place,
  PlayersQuery,
} from "../query/query.ts";
import type {
  Fragment,
  Page,
  PlayerListing,
  Reader,
  Selection,
  Vocabulary,
} from "../store/store.ts";
import type { Profile } from "./profile.ts";
import { Refusal, refuse } from "./refusal.ts";
import type { Stopwatch } from "./stopwatch.ts";

/** A request that has passed every check but those of its parameters. */
export interface ShardCall {
  reader: Reader;
  shard: string;
  id: string;
  query: string;
  /** The address of this resource, for links. */
  address: string;
  now: number;
  maxOffset: number;
  profile: Profile;
  watch: Stopwatch;
}

export interface Answer {
  document: Document;
  /** How many records are its primary data. */
  records: number;
  /** The sheets of the matches among them: what a key's daily budget is about. */
  sheets: readonly Fragment[];
  /** Single resources have strong tags, collections weak ones. */
  tag: "strong" | "weak";
}

export type ShardEndpoint = (call: ShardCall) => Promise<Answer>;

export async function getMatches(call: ShardCall): Promise<Answer> {
  const { reader, address, profile } = call;
  const query = read(parseMatchesQuery, call, "matches", await matchContext(call));
  const bearers = await findBearers(query, reader);
  const { page, place } = await findPage(select(query, bearers), reader);
  call.watch.lap("store");
  const { sheets } = page;
  if (sheets.length === 0) checkEmpty(call, "match");
  const content = matchListContent(page, query, profile.decorate);
  const links = matchesLinks(address, { ...query, place }, page, bearers);
  const rest = restOf(links, windowMeta(query));
  return { document: { content, rest }, records: sheets.length, sheets, tag: "weak" };
}

export async function getMatch(call: ShardCall): Promise<Answer> {
  const query = read(parseSingleQuery, call, "single", await matchContext(call));
  const bundle = isFindable(call.id) ? await call.reader.match(call.id) : undefined;
  call.watch.lap("store");
  if (!bundle) throw notFound("match");
  const content = matchContent(bundle, query, call.profile.decorate);
  const document = linkedToItself(call, query, content);
  return { document, records: 1, sheets: bundle.sheets, tag: "strong" };
}

export async function getPlayers(call: ShardCall): Promise<Answer> {
  const query = read(parsePlayersQuery, call, "players", await playerContext(call));
  const chosen = await choosePlayers(query, call.reader);
  call.watch.lap("store");
  const players = chosen.slice(0, query.limit);
  if (players.length === 0) checkEmpty(call, "player");
  const content = playerListContent(players, query, call.profile.decorate);
  const document = linkedToItself(call, query, content);
  return { document, records: players.length, sheets: NO_SHEETS, tag: "weak" };
}

export async function getPlayer(call: ShardCall): Promise<Answer> {
  const query = read(parseSingleQuery, call, "single", await playerContext(call));
  const [player] = await call.reader.players(findable([call.id]));
  call.watch.lap("store");
  if (!player) throw notFound("player");
  const content = playerContent(player, query, call.profile.decorate);
  const document = linkedToItself(call, query, content);
  return { document, records: 1, sheets: NO_SHEETS, tag: "strong" };
}

/** What has no further pages has one link. */
export function linkedToItself(
  { address, profile }: ShardCall,
  { given }: { given: GivenParameters },
  content: Document["content"],
): Document {
  return { content, rest: restOf(selfLink(address, given), profile.meta) };
}

export const NO_SHEETS: readonly Fragment[] = [];

/**
 * A name stands for every player that bears it now, a tag for every team; in the middle of a walk,
 * for those that bore it when the walk began. Undefined when no names are given.
 */
async function findBearers(
  { filters: { playerNames, teamNames }, place }: MatchesQuery,
  reader: Reader,
): Promise<Bearers | undefined> {
  if (!playerNames && !teamNames) return undefined;
  const names = crc32(JSON.stringify([playerNames, teamNames]));
  const known = cursorOf(place)?.bearers;
  if (known?.names === names) return known;
  const since = cursorOf(place)?.sequence;
  const players = playerNames ? await reader.playerIdsNamed(findable(playerNames), since) : [];
  const teams = teamNames ? await reader.teamIdsNamed(findable(teamNames), since) : [];
  return { names, players, teams };
}

const cursorOf = (place: Place): Cursor | undefined =>
  place.from === "offset" ? undefined : place.gap;

/** No record has U+0000 in what it is found by, and stores need not be able to look for it. */
const isFindable = (text: string): boolean => !text.includes("\0");
const findable = (texts: string[]): string[] => texts.filter(isFindable);

function select(query: MatchesQuery, bearers: Bearers | undefined): Selection {
  const { filters, window, sort, place, limit } = query;
  return {
    window,
    sort,
    place,
    limit,
    players: [
      ...(filters.playerIds ? [findable(filters.playerIds)] : []),
      ...(filters.playerNames && bearers ? [bearers.players] : []),
    ],
    teams: filters.teamNames && bearers ? [bearers.teams] : [],
    gameModes: filters.gameModes,
    patchVersions: filters.patchVersions && findable(filters.patchVersions),
    since: cursorOf(place)?.sequence,
  };
}

/** At an offset past the end, the empty page right after the last match: its links lead back. */
async function findPage(
  selection: Selection,
  reader: Reader,
): Promise<{ page: Page; place: Selection["place"] }> {
  const { place } = selection;
  const page = await reader.matches(selection);
  if (page.edges || place.from !== "offset" || place.offset === 0) return { page, place };
  const end = { from: "after", gap: endOf(selection) } as const;
  return { page: await reader.matches({ ...selection, place: end }), place: end };
}

/** The gap after everything in the window, in the sort direction. No id sorts before "-". */
function endOf({ window, sort }: Selection): Gap {
  const createdAt = sort === "createdAt" ? window.end + 1 : window.start;
  return { createdAt, id: "-", side: "before" };
}

/** In the order of the filter's values, ids before names; both filters together narrow. */
async function choosePlayers(
  { playerIds, playerNames }: PlayersQuery,
  reader: Reader,
): Promise<PlayerListing[]> {
  if (playerIds) {
    const players = await reader.players(findable(playerIds));
    const fitting = playerNames
      ? players.filter(({ name }) => playerNames.includes(name))
      : players;
    return fitting.slice(0, MAX_PLAYERS);
  }
  if (!playerNames) return reader.recentPlayers(MAX_PLAYERS);
  return reader.playersNamed(findable(playerNames), MAX_PLAYERS);
}

const NO_PATHS: ReadonlySet<string> = new Set();
const USUAL_PATHS: ReadonlySet<string> = new Set(INCLUDE_PATHS);
const USUAL_TYPES: ReadonlySet<string> = new Set(RESOURCE_TYPES);

/** What the shard's records carry beyond the usual is looked up only for queries that may name it. */
async function matchContext(call: ShardCall): Promise<ParseContext> {
  const { now, maxOffset, profile } = call;
  const extra = call.query === "" ? NO_WORDS : await call.reader.vocabulary();
  const { includePaths, types } = allWords.get(profile)?.get(extra) ?? withUsual(extra, profile);
  return { now, maxOffset, includePaths, types };
}

const NO_WORDS: Vocabulary = { includePaths: new Set(), types: new Set() };

async function playerContext(call: ShardCall): Promise<ParseContext> {
  return { ...(await matchContext(call)), includePaths: NO_PATHS };
}

/** By profile and by what a reader hands out, which is the same object until the words change. */
const allWords = new WeakMap<Profile, WeakMap<Vocabulary, Vocabulary>>();

function withUsual(extra: Vocabulary, profile: Profile): Vocabulary {
  const words = {
    includePaths: USUAL_PATHS.union(extra.includePaths).union(profile.includePaths),
    types: USUAL_TYPES.union(extra.types),
  };
  const known = allWords.get(profile) ?? new WeakMap<Vocabulary, Vocabulary>();
  allWords.set(profile, known.set(extra, words));
  return words;
}

/** Reads the query string, as far as the profile leaves it, with the endpoint's parser. */
export function read<Q>(
  parse: (raw: string, context: ParseContext) => Parsed<Q>,
  { query, profile, watch }: ShardCall,
  endpoint: Endpoint,
  context: ParseContext,
): Q {
  const parsed = parse(profile.query(query, endpoint, context.types), context);
  watch.lap("query");
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
