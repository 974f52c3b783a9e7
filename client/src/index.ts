/** The public API of the package. */

export { type ErrorCode, type ErrorKind, MatchbookError, type Problem } from "./errors.ts";
export type * as Schemas from "./generated.ts";
export type { List } from "./graph.ts";
export type { Limits } from "./limits.ts";
export { type FoundNames, Matchbook } from "./matchbook.ts";
export type { CallOptions, Fetch, MatchbookOptions } from "./options.ts";
export type { Page, Pages } from "./pages.ts";
export type {
  ChangeFilters,
  ChangesQuery,
  Everything,
  HeroesQuery,
  LeaderboardQuery,
  MatchesQuery,
  MatchFilters,
  PlayedWithQuery,
  PlayerFilters,
  PlayersQuery,
  RecordQuery,
  Selection,
} from "./query.ts";
export { Resource } from "./resource.ts";
export {
  Change,
  type GameMode,
  Hero,
  LeaderboardEntry,
  Match,
  Participant,
  PlayedWith,
  Player,
  Roster,
  type Sparse,
  Team,
} from "./resources.ts";
export type { Board, HeroStatistics, Matches, PlayerName, Players, Shard } from "./shard.ts";
export type { Reply } from "./transport.ts";
export type { Wait } from "./wait.ts";
