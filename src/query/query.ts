/** Typed queries: what a caller asks for, once the query string has been parsed. */

import type { Problem } from "../domain/errors.ts";
import type { Endpoint, Kind, KindOf, Parameter, ParameterName } from "./parameters.ts";

/** Both ends are inclusive, in milliseconds since the epoch. */
export interface Window {
  start: number;
  end: number;
}

export type Sort = "createdAt" | "-createdAt";

/**
 * A place between two neighbours in the order (createdAt, id): directly before or directly after
 * the match named, whether or not it is (still) there. A gap does not depend on the sort direction.
 */
export interface Gap {
  createdAt: number;
  id: string;
  side: "before" | "after";
}

/** Who bears the names of the filters: the players and teams of a walk, whatever they take up later. */
export interface ResolvedNames {
  /** A hash of the names, which tells whether they are still those asked for. */
  names: number;
  players: string[];
  teams: string[];
}

/** A gap as a link names it, with what the walk must not lose. */
export interface Cursor extends Gap {
  /** The number of the latest change that the page with the link could show, if changes have numbers there. */
  sequence?: number | undefined;
  /** Those whom the walk began with. */
  resolvedNames?: ResolvedNames;
}

/** Where a page begins: so many matches in, right after a gap, or ending right before one. */
export type PageStart =
  | { from: "offset"; offset: number }
  | { from: "after"; gap: Cursor }
  | { from: "before"; gap: Cursor };

/** Which related resources and which fields to send. Undefined: the default, everything. */
export interface Shape {
  include: string[] | undefined;
  fields: ReadonlyMap<string, ReadonlySet<string>> | undefined;
}

/** Each list holds distinct values in the order given; undefined when the filter was not given. */
export interface MatchFilters {
  playerNames: string[] | undefined;
  playerIds: string[] | undefined;
  teamNames: string[] | undefined;
  gameModes: string[] | undefined;
  patchVersions: string[] | undefined;
}

/** The parameters as given, decoded once, in the caller's order: what links repeat. */
export type GivenParameters = ReadonlyArray<readonly [name: string, value: string]>;

export interface MatchesQuery extends Shape {
  window: Window;
  sort: Sort;
  place: PageStart;
  limit: number;
  filters: MatchFilters;
  given: GivenParameters;
}

export interface PlayersQuery extends Shape {
  playerNames: string[] | undefined;
  playerIds: string[] | undefined;
  limit: number;
  given: GivenParameters;
}

/** Names close to this one. */
export interface NamesQuery {
  near: string;
  given: GivenParameters;
}

export interface SingleQuery extends Shape {
  given: GivenParameters;
}

/** What a query is parsed against. */
export interface ParseContext {
  /** Milliseconds since the epoch. */
  now: number;
  /** The deepest `page[offset]` served. */
  maxOffset: number;
  /** The paths that `include` may name on this endpoint. */
  includePaths: ReadonlySet<string>;
  /** The resource types that `fields[TYPE]` may name. */
  types: ReadonlySet<string>;
}

/** Parses one value. Undefined when the value is wrong, which the parser has then reported. */
export type ValueParser<Value> = (
  value: string,
  name: string,
  problems: Problem[],
  context: ParseContext,
  endpoint: Endpoint,
) => Value | undefined;

/** The parameters that the endpoint takes, by name, each with the first value given for it. */
export type GivenValues = ReadonlyMap<string, { parameter: Parameter; value: string | undefined }>;

export interface ValueOf extends Record<Kind, unknown> {
  limit: number;
  offset: number;
  cursor: Cursor;
  sort: Sort;
  timestamp: number;
  list: string[];
  modes: string[];
  name: string;
  include: string[];
  fields: ReadonlySet<string>;
}

/** What the values mean, by parameter. Absent: not given, or given and reported as a problem. */
export type ParsedValues = {
  [Name in Exclude<ParameterName, "fields[TYPE]">]?: ValueOf[KindOf<Name>];
} & { fields?: Map<string, ReadonlySet<string>> };
