/** In charge of queries: from members with types to a query string as the service reads it. */

import { escaped } from "./address.ts";
import { misuse } from "./errors.ts";
import type { Operations } from "./generated.ts";
import type { CallOptions } from "./options.ts";
import type { GameMode } from "./resources.ts";

type Texts = readonly string[] | undefined;
/** ISO 8601 with seconds and a zone. */
type Time = string | Date | undefined;

/** What to send of records. Left out, everything comes. */
export interface Selection {
  /** Paths of related resources to send along, such as `rosters.participants`; `[]` for none. */
  include?: Texts;
  /** By type of resource, the attributes and relationships to send; `[]` for none. */
  fields?: { readonly [type: string]: readonly string[] } | undefined;
}

/** Nothing left out, so that every attribute can be counted on. */
export interface Everything {
  include?: undefined;
  fields?: undefined;
}

/** Names and ids are exact. Values of one filter widen, different filters narrow. */
export interface MatchFilters extends CallOptions {
  playerNames?: Texts;
  playerIds?: Texts;
  teamNames?: Texts;
  gameMode?: readonly GameMode[] | undefined;
  patchVersion?: Texts;
  /** The earliest creation time, inclusive; 28 days ago if not given. */
  createdAtStart?: Time;
  /** The latest creation time, inclusive; now if not given. */
  createdAtEnd?: Time;
  /** `createdAt` for the oldest first, `-createdAt` for the newest first. */
  sort?: "createdAt" | "-createdAt" | undefined;
  /** How many matches a page has, from 1 to 5. To end a walk early, leave the loop. */
  limit?: number | undefined;
  /** How many matches to skip. */
  offset?: number | undefined;
  /** A cursor out of a link. */
  after?: string | undefined;
  /** A cursor out of a link. */
  before?: string | undefined;
}

export interface PlayerFilters extends CallOptions {
  names?: Texts;
  ids?: Texts;
  /** The most players to send, from 1 to 6. */
  limit?: number | undefined;
  /** Players have one page: only 0 is accepted. */
  offset?: 0 | undefined;
}

export type MatchesQuery = MatchFilters & Selection;
export type PlayersQuery = PlayerFilters & Selection;
export type RecordQuery = CallOptions & Selection;

type ParameterOf<Path extends keyof Operations> = Operations[Path] extends { query: infer Query }
  ? WithoutType<keyof Query>
  : never;

/** `fields[TYPE]` is one member of a query, with the types inside. */
type WithoutType<Parameter> = Parameter extends `fields[${string}]` ? "fields" : Parameter;

interface Row<Parameter = string> {
  readonly parameter: Parameter;
  readonly isList: boolean;
}

/** The members of a query, each with the parameter it becomes. */
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

export const PLAYERS_TABLE: Table<PlayersQuery, "/shards/{shard}/players"> = {
  names: list("filter[playerNames]"),
  ids: list("filter[playerIds]"),
  limit: one("page[limit]"),
  offset: one("page[offset]"),
  ...SELECTION,
};

export const RECORD_TABLE = SELECTION;

export const NEAR_TABLE: Table<{ near: string }, "/shards/{shard}/player-names"> = {
  near: one("filter[near]"),
};

const CALL_OPTIONS: ReadonlySet<string> = new Set<keyof CallOptions>(["signal", "patience"]);

/** The query string with its question mark, or nothing. It is written as the service's links are. */
export function writeQuery(query: object, table: Readonly<Record<string, Row>>): string {
  const pairs: string[] = [];
  for (const [member, value] of Object.entries(query)) {
    if (value === undefined || CALL_OPTIONS.has(member)) continue;
    // A filter that is silently left out would give too much.
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

/** Inside a list, a comma and a backslash have a backslash before them. */
function writeList(member: string, value: unknown): string {
  if (!Array.isArray(value)) throw misuse(`\`${member}\` must be a list, such as ["one"].`);
  return value.map((item) => String(item).replaceAll(/[\\,]/g, "\\$&")).join(",");
}

function writeOne(member: string, value: unknown): string {
  if (!(value instanceof Date)) return String(value);
  if (Number.isNaN(value.getTime())) throw misuse(`\`${member}\` is a Date without a time.`);
  return value.toISOString();
}

function unknownMember(member: string, table: object): Error {
  const known = Object.keys(table).join(", ");
  return misuse(`There is nothing called \`${member}\` to ask for here. There are: ${known}.`);
}
