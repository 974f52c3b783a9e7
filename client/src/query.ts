/** Writes typed queries as query strings. */

import { type MatchbookError, misuse } from "./errors.ts";
import type { Operations } from "./generated.ts";
import type { CallOptions } from "./options.ts";
import type { GameMode } from "./resources.ts";
import { escaped } from "./url.ts";

type Texts = readonly string[] | undefined;
/** ISO 8601 with seconds and a time zone. */
type Time = string | Date | undefined;

/** Parts of records to return. Default: everything. */
export interface Selection {
  /** Paths of related resources to include, e.g. `rosters.participants`; `[]` for none. */
  include?: Texts;
  /** Attributes and relationships to return, by resource type; `[]` for none. */
  fields?: { readonly [type: string]: readonly string[] } | undefined;
}

/** Complete records, so that every attribute is present. */
export interface Everything {
  include?: undefined;
  fields?: undefined;
}

/** Names and ids are exact. Values within a filter are combined with OR, filters with AND. */
export interface MatchFilters extends CallOptions {
  playerNames?: Texts;
  playerIds?: Texts;
  teamNames?: Texts;
  gameMode?: readonly GameMode[] | undefined;
  patchVersion?: Texts;
  /** The earliest creation time, inclusive. Default: 28 days ago. */
  createdAtStart?: Time;
  /** The latest creation time, inclusive. Default: now. */
  createdAtEnd?: Time;
  /** `createdAt`: oldest first. `-createdAt`: newest first. */
  sort?: "createdAt" | "-createdAt" | undefined;
  /** Matches per page, 1 to 5. To stop early, leave the loop. */
  limit?: number | undefined;
  /** The number of matches to skip. */
  offset?: number | undefined;
  /** A cursor from a link. */
  after?: string | undefined;
  /** A cursor from a link. */
  before?: string | undefined;
}

/** Filters of the matches whose changes are returned, as for lists of matches. */
export interface ChangeFilters {
  playerNames?: Texts;
  playerIds?: Texts;
  teamNames?: Texts;
  gameMode?: readonly GameMode[] | undefined;
  patchVersion?: Texts;
}

export interface ChangesQuery extends ChangeFilters {
  /**
   * The cursor of the last change that you have, or `oldest` for the oldest one that is kept.
   * Default: from now on.
   */
  after?: string | undefined;
  /** Ends the loop with the signal's reason. */
  signal?: AbortSignal | undefined;
  /** Called each time a stream is open: at first, and after each reconnection. */
  onOpen?: (() => void) | undefined;
  /** Called before each reconnection with its cause and the pause before it, in milliseconds. */
  onReconnect?: ((cause: MatchbookError, milliseconds: number) => void) | undefined;
}

export interface PlayerFilters extends CallOptions {
  names?: Texts;
  ids?: Texts;
  /** The maximum number of players, 1 to 6. */
  limit?: number | undefined;
  /** Players have only one page, so this must be 0. */
  offset?: 0 | undefined;
}

/** Hero statistics: over all modes and patches by default. */
export interface HeroesQuery extends CallOptions {
  gameMode?: readonly GameMode[] | undefined;
  patchVersion?: Texts;
  /** An attribute or `hero`; with `-` in descending order. Default: `-matches`. */
  sort?: Operations["/shards/{shard}/heroes"]["query"]["sort"] | undefined;
}

export interface LeaderboardQuery extends CallOptions {
  /** `28d` only for `ranked-wins` and `win-rate`. Default: `all`. */
  period?: "all" | "28d" | undefined;
  /** The entries of these players, at most 20, instead of the whole board. */
  playerIds?: Texts;
  /** Entries per request, 1 to 100. Default: 20. */
  limit?: number | undefined;
}

export interface PlayedWithQuery extends CallOptions {
  /** The maximum number of other players, 1 to 50. Default: 20. */
  limit?: number | undefined;
}

export type MatchesQuery = MatchFilters & Selection;
export type PlayersQuery = PlayerFilters & Selection;
export type RecordQuery = CallOptions & Selection;

type ParameterOf<Path extends keyof Operations> = Operations[Path] extends { query: infer Query }
  ? WithoutType<keyof Query>
  : never;

/** `fields[TYPE]` is the member `fields`, by type. */
type WithoutType<Parameter> = Parameter extends `fields[${string}]` ? "fields" : Parameter;

interface Row<Parameter = string> {
  readonly parameter: Parameter;
  readonly isList: boolean;
}

/** Maps the members of a query to parameters. */
type Table<Query, Path extends keyof Operations> = {
  readonly [Member in Exclude<keyof Query, keyof CallOptions>]-?: Row<ParameterOf<Path>>;
};

const one = <Parameter>(parameter: Parameter) => ({ parameter, isList: false });
const list = <Parameter>(parameter: Parameter) => ({ parameter, isList: true });

const SELECTION: Table<RecordQuery, "/shards/{shard}/matches/{id}"> = {
  include: list("include"),
  fields: list("fields"),
};

export const MATCHES_TABLE: Table<MatchesQuery, "/shards/{shard}/matches"> = {
  playerNames: list("filter[playerNames]"),
  playerIds: list("filter[playerIds]"),
  teamNames: list("filter[teamNames]"),
  gameMode: list("filter[gameMode]"),
  patchVersion: list("filter[patchVersion]"),
  createdAtStart: one("filter[createdAt-start]"),
  createdAtEnd: one("filter[createdAt-end]"),
  sort: one("sort"),
  limit: one("page[limit]"),
  offset: one("page[offset]"),
  after: one("page[after]"),
  before: one("page[before]"),
  ...SELECTION,
};

/** A stream has no `page[limit]`. */
export const CHANGES_TABLE: Table<ChangeFilters & { after?: string }, "/shards/{shard}/changes"> = {
  playerNames: list("filter[playerNames]"),
  playerIds: list("filter[playerIds]"),
  teamNames: list("filter[teamNames]"),
  gameMode: list("filter[gameMode]"),
  patchVersion: list("filter[patchVersion]"),
  after: one("page[after]"),
};

export const PLAYERS_TABLE: Table<PlayersQuery, "/shards/{shard}/players"> = {
  names: list("filter[playerNames]"),
  ids: list("filter[playerIds]"),
  limit: one("page[limit]"),
  offset: one("page[offset]"),
  ...SELECTION,
};

export const HEROES_TABLE: Table<HeroesQuery, "/shards/{shard}/heroes"> = {
  gameMode: list("filter[gameMode]"),
  patchVersion: list("filter[patchVersion]"),
  sort: one("sort"),
};

export const RECORD_TABLE = SELECTION;

/** Further pages are read by their links. */
export const LEADERBOARD_TABLE: Table<LeaderboardQuery, "/shards/{shard}/leaderboards/{board}"> = {
  period: one("filter[period]"),
  playerIds: list("filter[playerIds]"),
  limit: one("page[limit]"),
};

export const PLAYED_WITH_TABLE: Table<PlayedWithQuery, "/shards/{shard}/players/{id}/played-with"> =
  {
    limit: one("page[limit]"),
  };

export const NEAR_TABLE: Table<{ near: string }, "/shards/{shard}/player-names"> = {
  near: one("filter[near]"),
};

const CALL_OPTIONS: ReadonlySet<string> = new Set<keyof CallOptions>(["signal", "patience"]);

/** The query string with `?`, or an empty string. Written like the links of the service. */
export function writeQuery(query: object, table: Readonly<Record<string, Row>>): string {
  const pairs: string[] = [];
  for (const [member, value] of Object.entries(query)) {
    if (value === undefined || CALL_OPTIONS.has(member)) continue;
    // Ignoring an unknown filter would return too much.
    if (!Object.hasOwn(table, member)) throw unknownMember(member, table);
    const { parameter, isList } = table[member]!;
    if (parameter === "fields") pairs.push(...fieldsPairs(value));
    else pairs.push(pair(parameter, isList ? writeList(member, value) : writeOne(member, value)));
  }
  return pairs.length === 0 ? "" : `?${pairs.join("&")}`;
}

function fieldsPairs(fields: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(fields).map(([type, names]) => {
    const name = `fields[${type}]`;
    return pair(name, writeList(name, names));
  });
}

function pair(name: string, value: string): string {
  return `${escaped("name of a parameter", name)}=${escaped(`value of \`${name}\``, value)}`;
}

/** A backslash escapes commas and backslashes in values. */
function writeList(member: string, value: unknown): string {
  if (!Array.isArray(value)) throw misuse(`\`${member}\` must be an array, e.g. ["one"].`);
  return value.map((item) => String(item).replaceAll(/[\\,]/g, "\\$&")).join(",");
}

function writeOne(member: string, value: unknown): string {
  if (!(value instanceof Date)) return String(value);
  if (Number.isNaN(value.getTime())) throw misuse(`\`${member}\` is an invalid Date.`);
  return value.toISOString();
}

function unknownMember(member: string, table: object): Error {
  const known = Object.keys(table).join(", ");
  return misuse(`Unknown option \`${member}\`. Known options: ${known}.`);
}
