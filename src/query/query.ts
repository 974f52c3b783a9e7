/** Typed queries: the result of parsing a query string. */

/** Both ends are inclusive, in milliseconds since the epoch. */
export interface Window {
  start: number;
  end: number;
}

export type Sort = "createdAt" | "-createdAt";

/**
 * A position in the order (createdAt, id): directly before or after a match, whether or not that
 * match still exists. It does not depend on the sort direction.
 */
export interface Gap {
  createdAt: number;
  id: string;
  side: "before" | "after";
}

/**
 * The players and teams that the name filters resolve to. Cursors carry them, so that renames do
 * not affect later pages.
 */
export interface ResolvedNames {
  /** A hash of the names: detects that the filters were changed. */
  names: number;
  players: string[];
  teams: string[];
}

/** A position in a link, with state that later pages need. */
export interface Cursor extends Gap {
  /** The sequence number of the last change visible to this page, if the store has them. */
  sequence?: number | undefined;
  resolvedNames?: ResolvedNames;
}

/** A page starts at an offset, starts after a cursor, or ends before one. */
export type PageStart =
  | { from: "offset"; offset: number }
  | { from: "after"; gap: Cursor }
  | { from: "before"; gap: Cursor };

/** A position in the change log: after the change with this number. Changes are numbered from 1 without gaps. */
export interface LogPosition {
  number: number;
  /** Identifies the transaction of that change: after a restore, another one may have its number. */
  tag: number;
}

/** Where to begin in the change log. */
export type LogStart = LogPosition | "oldest";

/** Related resources and fields to return. Undefined: everything. */
export interface Shape {
  include: string[] | undefined;
  fields: ReadonlyMap<string, ReadonlySet<string>> | undefined;
}

/** Distinct values in the given order; undefined if the filter is not set. */
export interface MatchFilters {
  playerNames: string[] | undefined;
  playerIds: string[] | undefined;
  teamNames: string[] | undefined;
  gameModes: string[] | undefined;
  patchVersions: string[] | undefined;
}

/** The decoded parameters in the caller's order. Links repeat them. */
export type GivenParameters = ReadonlyArray<readonly [name: string, value: string]>;

export interface MatchesQuery extends Shape {
  window: Window;
  sort: Sort;
  pageStart: PageStart;
  limit: number;
  filters: MatchFilters;
  given: GivenParameters;
}

/** What `include` and `fields` may name. */
export interface Vocabulary {
  /** The paths that `include` may name on this endpoint. */
  includePaths: ReadonlySet<string>;
  /** The resource types that `fields[TYPE]` may name. */
  types: ReadonlySet<string>;
}

export interface ParseContext extends Vocabulary {
  /** Milliseconds since the epoch. */
  now: number;
  /** The maximum `page[offset]`. */
  maxOffset: number;
}
