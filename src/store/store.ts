/**
 * In charge of the contract between Matchbook and a shard's storage.
 *
 * A store holds one shard and never hears of another. It offers transactions and primitive reads
 * and writes; the rules (what is served, how players add up) are decided by its callers. Every
 * adapter passes the same conformance suite, test/conformance.
 *
 * Texts compare bytewise everywhere. "Order" below always means (createdAt, id), ascending unless
 * said otherwise. Times are milliseconds since the epoch.
 *
 * Three roles, so that nobody holds more than they need: a Reader sees served records only, an
 * Inspector sees withheld ones too (operators' questions), a Keeper may change them.
 */

import type { Result, Totals } from "../domain/player.ts";
import type { WithheldReason } from "../domain/visibility.ts";
import type { Place, Sort, Window } from "../query/query.ts";

export type Awaitable<T> = T | Promise<T>;

/** Bytes that only document/ can make and read. */
export type Fragment = Uint8Array;

/** A served player or team: its resource, and what only that resource links to (rare). */
export interface NamedFragments {
  resource: Fragment;
  companions: Fragment | undefined;
}

export interface ServedMatch {
  id: string;
  createdAt: number;
  resource: Fragment;
  /** The resources that only this match includes, comma-separated. */
  included: Fragment;
  /** A short hash for each resource in the two fragments, to tell whether two matches share one. */
  digest: Uint8Array;
}

/** Matches with everybody they name: each player and team once, in order of first appearance. */
export interface Bundle {
  matches: ServedMatch[];
  players: NamedFragments[];
  teams: NamedFragments[];
}

export interface Page extends Bundle {
  /** Whether the selection goes on before and after these matches, seen in the sort direction. */
  more: { before: boolean; after: boolean };
}

/** Which matches to list. Each inner list widens (any of these), the outer ones narrow (all). */
export interface Selection {
  window: Window;
  sort: Sort;
  place: Place;
  limit: number;
  /** Ids of players that must have a part in the match. An empty inner list selects nothing. */
  players: string[][];
  /** Ids of teams that must have entered with a roster. */
  teams: string[][];
  gameModes: string[] | undefined;
  patchVersions: string[] | undefined;
}

export interface PlayerListing extends NamedFragments {
  id: string;
  name: string;
}

/** What callers may see. Each call answers from one consistent state of the shard. */
export interface Reader {
  /** The served match with this id. */
  match(id: string): Awaitable<Bundle | undefined>;
  /** One page of the selection, in the order of its sort. */
  matches(selection: Selection): Awaitable<Page>;
  /** The players with these ids, in the order of the ids; unknown ids are left out. */
  players(ids: string[]): Awaitable<PlayerListing[]>;
  /** The players that bear a name now, by id, at most `limit`. */
  playersNamed(name: string, limit: number): Awaitable<PlayerListing[]>;
  /** The players seen in a served match most recently: latest first, then by id. */
  recentPlayers(limit: number): Awaitable<PlayerListing[]>;
  /** The ids of every player that bears one of these names now. */
  playerIdsNamed(names: string[]): Awaitable<string[]>;
  /** The ids of every team that bears one of these tags now. */
  teamIdsNamed(names: string[]): Awaitable<string[]>;
  /** The creation time of the newest served match. */
  newestMatch(): Awaitable<number | undefined>;
  /** The extra include paths and resource types that served records carry, beyond the usual. */
  vocabulary(): Awaitable<Vocabulary>;
  close(): Awaitable<void>;
}

export interface Vocabulary {
  includePaths: ReadonlySet<string>;
  types: ReadonlySet<string>;
}

/** A record as it is kept, served or withheld. */
export interface StoredMatch extends ServedMatch {
  gameMode: string;
  patchVersion: string;
  /** Equal for records of equal content. */
  contentHash: Uint8Array;
  /** The players and teams as the record carried them. */
  carried: Fragment;
}

export type Fate = { state: "served" } | { state: "withheld"; reason: WithheldReason };

export interface Counts {
  served: number;
  withheld: Record<WithheldReason, number>;
  players: number;
  teams: number;
  newestMatch: number | undefined;
  bytes: number;
}

/** What operators may ask. */
export interface Inspector {
  inspect(id: string): Awaitable<{ fate: Fate; match: StoredMatch } | undefined>;
  /** How many records show each of these players to be ranked; those with none are left out. */
  rankedEvidence(playerIds: string[]): Awaitable<Map<string, number>>;
  counts(): Awaitable<Counts>;
}

export interface Keeper extends Inspector {
  /**
   * Runs `work` as one transaction. When the promise resolves, all of it is durable and visible to
   * readers; when it rejects, none of it happened. Writers, of other processes too, take turns.
   */
  write<T>(work: (transaction: Transaction) => Promise<T>): Promise<T>;
  close(): Awaitable<void>;
}

/** A player's place in a match: how it went, or only "named". */
export interface PlayerEntry {
  id: string;
  result: Result;
}

export interface TeamEntry {
  id: string;
  plays: boolean;
}

export interface MatchEntry extends StoredMatch {
  players: PlayerEntry[];
  teams: TeamEntry[];
}

export interface WithheldEntry extends StoredMatch {
  reason: WithheldReason;
}

/** A player's match as the history lists it. */
export interface HistoryEntry {
  createdAt: number;
  matchId: string;
  result: Result;
}

export interface TeamRow extends NamedFragments {
  id: string;
  name: string;
}

export interface PlayerRow extends TeamRow {
  /** The creation time of the latest served match that names the player. */
  seenAt: number;
  totals: Totals;
}

/** Primitive reads and writes. All lists may be empty and are free of repetitions. */
export interface Transaction {
  /** Keeps every other writer from changing what concerns these players until the end. */
  lockPlayers(ids: string[]): Awaitable<void>;

  /** Which of these matches are known, with their content. */
  known(ids: string[]): Awaitable<Map<string, { fate: Fate; contentHash: Uint8Array }>>;
  /** The records themselves; unknown ids are left out. */
  load(ids: string[]): Awaitable<{ fate: Fate; match: StoredMatch }[]>;
  addServed(matches: MatchEntry[]): Awaitable<void>;
  /** Removes served matches and their entries under players and teams. */
  removeServed(matches: MatchEntry[]): Awaitable<void>;
  addWithheld(matches: WithheldEntry[]): Awaitable<void>;
  removeWithheld(ids: string[]): Awaitable<void>;

  rankedEvidence(playerIds: string[]): Awaitable<Map<string, number>>;
  changeRankedEvidence(changes: ReadonlyMap<string, number>): Awaitable<void>;

  /** Matches, served or withheld, that depend on whether one of these players is ranked. */
  dependents(playerIds: string[]): Awaitable<string[]>;
  addDependents(pairs: [playerId: string, matchId: string][]): Awaitable<void>;
  removeDependents(pairs: [playerId: string, matchId: string][]): Awaitable<void>;

  totals(playerIds: string[]): Awaitable<Map<string, Totals>>;
  /** The newest `limit` matches that name this player, newest first. */
  playerHistory(playerId: string, limit: number): Awaitable<HistoryEntry[]>;
  /** The newest match that names this team. */
  latestOfTeam(teamId: string): Awaitable<string | undefined>;
  putPlayers(rows: PlayerRow[]): Awaitable<void>;
  removePlayers(ids: string[]): Awaitable<void>;
  putTeams(rows: TeamRow[]): Awaitable<void>;
  removeTeams(ids: string[]): Awaitable<void>;

  /** Counts, per word, how many served records carry it; "path:…" or "type:…". */
  changeVocabulary(changes: ReadonlyMap<string, number>): Awaitable<void>;
}

/** The shard's file or database cannot be used; the message says what to do. */
export class StoreError extends Error {
  override name = "StoreError";
}
