/**
 * The contract between Matchbook and a shard's storage.
 *
 * A store holds one shard and never hears of another. It offers transactions and primitive reads
 * and writes; the rules (what is served, how players add up) are decided by its callers. Every
 * adapter passes the same conformance suite, test/conformance.
 *
 * Ids are of the characters A-Z, a-z, 0-9, "_" and "-"; all other texts are any well-formed Unicode
 * without U+0000. Texts compare bytewise everywhere: case, accents and blanks at the ends count.
 * "Order" below always means (createdAt, id), ascending unless said otherwise; a list whose order is
 * not said may come in any. Times are whole milliseconds since the epoch, and may lie before it.
 * Fragments and hashes come back byte for byte.
 *
 * Three roles, so that nobody holds more than they need: a Reader sees served records only, an
 * AdminReader sees withheld ones too (operators' questions), a Writer may change them.
 */

import type { Awaitable } from "../domain/awaitable.ts";
import type { Result, Run, Totals } from "../domain/player.ts";
import type { WithheldReason } from "../domain/visibility.ts";
import type { PageStart, Sort, Window } from "../query/query.ts";
import type { ByteRange } from "./byte-range.ts";

/** Bytes that only document/ can make and read. */
export type Fragment = Uint8Array;

/** Throws when a fragment is not what was stored. For readers that keep fragments in memory. */
export type CheckFragment = (fragment: Fragment) => void;

/** A served player or team: its resource, and what only that resource links to (rare). */
export interface NamedFragments {
  resource: Fragment;
  companions: Fragment | undefined;
}

/** The same as readers give it. */
export interface NamedParts {
  resource: ByteRange;
  companions: Fragment | undefined;
  /** Of a player, the creation time of the latest served match; undefined for a team. */
  lastMatchAt: number | undefined;
  /** Whether the store had them checked when it read them, so that it need not be done again. */
  isChecked: boolean;
}

/**
 * Matches with everybody they name, whether by a part in the match or by a mere mention: each player
 * and team once, in order of first appearance, as they are now.
 */
export interface MatchesWithLinked {
  /** The sheet of each match: its resource and the resources that only it includes. */
  sheets: Fragment[];
  players: NamedParts[];
  teams: NamedParts[];
}

/** What matches are ordered by. */
export interface MatchKey {
  createdAt: number;
  id: string;
}

export interface Page extends MatchesWithLinked {
  /** The first and the last of the matches, which may be one; undefined when there are none. */
  edges: { first: MatchKey; last: MatchKey } | undefined;
  /**
   * Whether the selection goes on before and after these matches, seen in the sort direction. Where
   * there are none, the gap that was asked for is looked at; at an offset both are false then.
   */
  more: { before: boolean; after: boolean };
  /**
   * The number of the latest change in the state that the page is of. Undefined where all readers of the
   * shard see the same state, so that nobody can see an older one later.
   */
  sequence?: number;
}

/**
 * Which matches to list: those that satisfy every member. Within one list of ids, modes or versions
 * any value will do, so that an empty one selects nothing; values that nothing has are no error.
 */
export interface Selection {
  window: Window;
  /** "createdAt" is the order, "-createdAt" the exact reverse of it. */
  sort: Sort;
  /** Offsets count, and pages leave a gap, in the sort direction; a gap may lie outside the window. */
  place: PageStart;
  /** At least 1. */
  limit: number;
  /** From each inner list a player must have a part in the match; a mention is none. */
  players: string[][];
  /** From each inner list a team must have entered with a roster. */
  teams: string[][];
  /** Undefined: any. */
  gameModes: string[] | undefined;
  /** Undefined: any. */
  patchVersions: string[] | undefined;
  /** A page's `sequence`: the state must not be older than that page's. */
  since?: number | undefined;
}

export interface PlayerListing extends NamedParts {
  id: string;
  name: string;
}

export interface NamedPlayer {
  id: string;
  name: string;
}

/**
 * What callers may see. Each call answers from one consistent state of the shard. Replicas may be behind
 * the primary, and some further than others: a later call, or another reader, may see an older state. With
 * `since`, a replica in such a state is passed over; what the primary has counts as new enough.
 */
export interface Reader {
  /** The served match with this id. */
  match(id: string): Awaitable<MatchesWithLinked | undefined>;
  /** One page of the selection, in the order of its sort. */
  matches(selection: Selection): Awaitable<Page>;
  /** The players with these (distinct) ids, in the order of the ids; unknown ids are left out. */
  players(ids: string[]): Awaitable<PlayerListing[]>;
  /** The players with one of these (distinct) names now, in the order of the names, then by id, at most `limit`. */
  playersNamed(names: string[], limit: number): Awaitable<PlayerListing[]>;
  /** The players seen in a served match most recently: latest first, then by id. */
  recentPlayers(limit: number): Awaitable<PlayerListing[]>;
  /** The ids of every player that bears one of these (distinct) names now, in their order, then by id. */
  playerIdsNamed(names: string[], since?: number): Awaitable<string[]>;
  /** The ids of every team that bears one of these (distinct) tags now, in their order, then by id. */
  teamIdsNamed(names: string[], since?: number): Awaitable<string[]>;
  /**
   * Names from the name index, each once. The index has every name that a player has now under each of
   * its keys (domain/name-index.ts), ordered by key, then by name. For each of these (distinct) keys the
   * first `after` entries at or after it are read, and the last `before` in front of it. The cost does
   * not depend on the number of names.
   */
  namesAround(keys: string[], before: number, after: number): Awaitable<string[]>;
  /** Who bears these (distinct) names now, at most `limit` each: in the order of the names, then by id. */
  playersWithNames(names: string[], limit: number): Awaitable<NamedPlayer[]>;
  /** How much is served. It costs the same however much that is. */
  summary(): Awaitable<Summary>;
  /** The extra include paths and resource types that served records carry, beyond the usual. */
  vocabulary(): Awaitable<Vocabulary>;
}

export interface Summary {
  matches: number;
  /** Those that served matches name. */
  players: number;
  /** The creation time of the newest match; undefined when there is none. */
  newestMatch: number | undefined;
  /** What the store takes, roughly, withheld records included. */
  bytes: number;
}

export interface Vocabulary {
  includePaths: ReadonlySet<string>;
  types: ReadonlySet<string>;
}

/** A record as it is kept, served or withheld. */
export interface StoredMatch extends MatchKey {
  gameMode: string;
  patchVersion: string;
  /** Equal for records of equal content. */
  contentHash: Uint8Array;
  sheet: Fragment;
  /** The players and teams as the record carried them. */
  carried: Fragment;
}

export type Fate = { state: "served" } | { state: "withheld"; reason: WithheldReason };

export interface ShardRecord {
  fate: Fate;
  match: StoredMatch;
}

/**
 * All that a shard keeps, to be gone through in steps. A step gives at most `limit`, and fewer only
 * where there are no more.
 */
export interface ShardContents {
  /**
   * Every record once: served ones in order, then withheld ones by id. `after` is the last record of
   * the step before, undefined for the first step.
   */
  records(
    after: { fate: Fate; match: MatchKey } | undefined,
    limit: number,
  ): Awaitable<ShardRecord[]>;
  /** The players that served matches name, by id, those after `afterId`; all come after "". */
  players(afterId: string, limit: number): Awaitable<StoredResource[]>;
  /** The same of teams. */
  teams(afterId: string, limit: number): Awaitable<StoredResource[]>;
}

export interface StoredResource extends NamedFragments {
  id: string;
}

export interface Counts extends Omit<Summary, "matches"> {
  served: number;
  withheld: Record<WithheldReason, number>;
  teams: number;
}

/** What operators may ask. (While a write of the same writer runs, it may show in the answers.) */
export interface AdminReader {
  /** The record with this id, served or withheld. */
  inspect(id: string): Awaitable<ShardRecord | undefined>;
  /** How many records show each of these players to be ranked; those with none are left out. */
  rankedEvidence(playerIds: string[]): Awaitable<Map<string, number>>;
  /** Teams, as players: those that served matches name. */
  counts(): Awaitable<Counts>;
  /**
   * Runs `work` over one state of the shard, however long it takes. Other writers go on meanwhile;
   * those of the same writer wait.
   */
  survey<T>(work: (holdings: ShardContents) => Promise<T>): Promise<T>;
}

export interface Writer extends AdminReader {
  /**
   * Runs `work` as one transaction. When the promise resolves, all of it is durable and visible to
   * readers; before that, none of it is; when it rejects (with what `work` threw, if it did), none of
   * it happened, and the writer can be used again. Writers, of other processes too, take turns;
   * therefore `work` must not write through the writer, only through its transaction. Who waits for
   * a turn longer than a minute or two gets a StoreRefuses.
   */
  write<T>(work: (transaction: Transaction) => Promise<T>): Promise<T>;
  /**
   * The content hashes of the records with these ids, served or withheld; unknown ids are left out.
   * Nothing is in the answer that could still be undone.
   */
  contentHashes(ids: string[]): Awaitable<Map<string, Uint8Array>>;
  /**
   * Tells the state of this shard from any other's, also from one with the same records: two places that
   * have the same are one, or one follows the other. Undefined where nothing is written yet, or where
   * places cannot have several names.
   */
  stateToken(): Awaitable<string | undefined>;
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

/** How a player stands after all served matches. */
export interface Standing {
  totals: Totals;
  run: Run;
  /** The latest served match that names the player. */
  latest: { createdAt: number; matchId: string };
}

export interface PlayerRow extends TeamRow, Standing {}

/**
 * Primitive reads and writes. Reads see what the transaction has written so far. All lists may be
 * empty and are free of repetitions.
 */
export interface Transaction extends ShardContents {
  /** Which of these matches are known, served or withheld, with their content. */
  known(ids: string[]): Awaitable<Map<string, { fate: Fate; contentHash: Uint8Array }>>;
  /** The records themselves; unknown ids are left out. */
  load(ids: string[]): Awaitable<ShardRecord[]>;
  /** Of a served match, what it carried about players and teams; undefined when there is none. */
  carried(id: string): Awaitable<Fragment | undefined>;
  /**
   * Adds matches whose ids are not known. Every player and team that they name must be put before
   * the transaction ends, if it is not there already.
   */
  addServed(matches: MatchEntry[]): Awaitable<void>;
  /**
   * Removes served matches, given as they were added, with their entries under players and teams.
   * Those that no match names any longer must be removed before the transaction ends.
   */
  removeServed(matches: MatchEntry[]): Awaitable<void>;
  /** Adds matches whose ids are not known. Withheld records make no players and no teams. */
  addWithheld(matches: WithheldEntry[]): Awaitable<void>;
  removeWithheld(ids: string[]): Awaitable<void>;

  /** As the AdminReader has it. */
  rankedEvidence(playerIds: string[]): Awaitable<Map<string, number>>;
  /** Adds to the counts. None goes below zero in the end; one that reaches zero is forgotten. */
  changeRankedEvidence(changes: ReadonlyMap<string, number>): Awaitable<void>;

  /** Matches, served or withheld, that depend on whether one of these players is ranked; each once. */
  dependents(playerIds: string[]): Awaitable<string[]>;
  addDependents(pairs: [playerId: string, matchId: string][]): Awaitable<void>;
  removeDependents(pairs: [playerId: string, matchId: string][]): Awaitable<void>;

  /** The standings put last; players that are not there are left out. */
  standings(playerIds: string[]): Awaitable<Map<string, Standing>>;
  /** The newest `limit` served matches that name this player, mentions too, newest first. */
  playerHistory(playerId: string, limit: number): Awaitable<HistoryEntry[]>;
  /** The id of the newest served match that names this team, be it a mention. */
  latestOfTeam(teamId: string): Awaitable<string | undefined>;
  /** Players that served matches name: those that are there are overwritten whole. */
  putPlayers(rows: PlayerRow[]): Awaitable<void>;
  /** Players that no served match names any longer; unknown ids are no error. */
  removePlayers(ids: string[]): Awaitable<void>;
  /** Teams that served matches name: those that are there are overwritten whole. */
  putTeams(rows: TeamRow[]): Awaitable<void>;
  /** Teams that no served match names any longer; unknown ids are no error. */
  removeTeams(ids: string[]): Awaitable<void>;

  /** Adds, per word, to the count of served records that carry it; "path:…" or "type:…". */
  changeVocabulary(changes: ReadonlyMap<string, number>): Awaitable<void>;
}

/** The shard's file or database cannot be used; the message says what to do. */
export class StoreError extends Error {
  override name = "StoreError";
}

/** The shard's database does not answer, or not as it should: it may be back soon. */
export class StoreUnavailable extends StoreError {
  override name = "StoreAway";
}

/** It is there and will not serve us soon: a wrong password, a missing right, another program's long turn. */
export class StoreRefuses extends StoreUnavailable {
  override name = "StoreRefuses";
}
