/**
 * The contract between Matchbook and the storage of one shard.
 *
 * A store offers transactions and primitive reads and writes. The rules (what is served, how player
 * records add up) belong to its callers. Every adapter passes the conformance suite in
 * test/conformance.
 *
 * Ids consist of A-Z, a-z, 0-9, "_" and "-". All other texts are well-formed Unicode without
 * U+0000. Texts are compared byte by byte: case, accents and trailing spaces count. "Order" means
 * (createdAt, id), ascending unless stated otherwise; lists without a stated order may come in any.
 * Times are integer milliseconds since the epoch and may be negative. Fragments and hashes are
 * returned byte for byte.
 *
 * A store verifies every row that it returns, and throws DamagedData instead of returning a damaged one. Its
 * callers verify nothing again.
 *
 * There are three roles: a Reader sees served records only, an AdminReader also sees withheld ones,
 * and a Writer changes them.
 */

import type { Awaitable } from "../domain/awaitable.ts";
import type { Totals } from "../domain/player.ts";
import type { Result, Run } from "../domain/streak.ts";
import type { Fate, WithheldReason } from "../domain/visibility.ts";
import type { LogPosition, PageStart, Sort, Vocabulary, Window } from "../query/query.ts";
import type { ByteRange } from "./byte-range.ts";
import type { Steps } from "./steps.ts";
import type { DerivedTable, TableShape, Value } from "./table.ts";

/** Opaque bytes, written and read by document/ only. */
export type Fragment = Uint8Array;

/** A served player or team: its resource, and (rarely) the resources that only it links to. */
export interface NamedFragments {
  resource: Fragment;
  companions: Fragment | undefined;
}

/** The same, as readers return it. */
export interface NamedParts {
  resource: ByteRange;
  companions: Fragment | undefined;
  /** For a player, the creation time of the latest served match; undefined for a team. */
  lastMatchAt: number | undefined;
}

/**
 * Matches with all players and teams that they reference, participants or only mentioned: each
 * once, in order of first appearance, in their current state.
 */
export interface MatchesWithLinked {
  /** The encoded matches: each match resource with the resources that only it includes. */
  matches: ByteRange[];
  players: NamedParts[];
  teams: NamedParts[];
}

/** Matches are ordered by this key. */
export interface MatchKey {
  createdAt: number;
  id: string;
}

export interface Page extends MatchesWithLinked {
  /** The first and last match, possibly the same; undefined for an empty page. */
  edges: { first: MatchKey; last: MatchKey } | undefined;
  /**
   * Whether there are matches before and after this page, in sort direction. For an empty page this
   * is relative to the requested position; at an offset, both are then false.
   */
  more: { before: boolean; after: boolean };
  /**
   * The sequence number of the last change in the state that was read. Undefined if all readers of
   * the shard always see the same state.
   */
  sequence?: number;
}

/**
 * A match must satisfy every member. Within a list of ids, modes or versions any value is enough,
 * so an empty list selects nothing. Unknown values are not an error.
 */
export interface Selection {
  window: Window;
  /** "createdAt" is ascending order, "-createdAt" the exact reverse. */
  sort: Sort;
  /** In sort direction. A position may lie outside the window. */
  pageStart: PageStart;
  /** At least 1. */
  limit: number;
  /** One player of each inner list must have played in the match; being mentioned is not enough. */
  players: string[][];
  /** One team of each inner list must have entered with a roster. */
  teams: string[][];
  /** Undefined: any. */
  gameModes: string[] | undefined;
  /** Undefined: any. */
  patchVersions: string[] | undefined;
  /** The `sequence` of an earlier page: the state read must not be older. */
  since?: number | undefined;
}

/** Who was in a match. */
export interface Lineup {
  createdAt: number;
  /** All players that the match references, participants or only mentioned, with their current names. */
  players: LineupPlayer[];
  /** The encoded match. */
  match: ByteRange;
}

export interface LineupPlayer extends NamedPlayer {
  result: Result;
}

export type PlayerListing = NamedParts & NamedPlayer;

export interface NamedPlayer {
  id: string;
  name: string;
}

/**
 * Served records. Each call reads one consistent state of the shard. Replicas can lag behind the
 * primary by different amounts, so a later call or another reader may see an older state. With
 * `since`, replicas in an older state are skipped; the primary is always recent enough.
 */
export interface Reader {
  /** Undefined if the records are in another process, which would have to be asked. */
  readonly local?: LocalState;
  match(id: string): Awaitable<MatchesWithLinked | undefined>;
  matches(selection: Selection): Awaitable<Page>;
  /** The lineups of the matches that `matches` would return, and whether there are more after them. */
  lineups(selection: Selection): Awaitable<{ lineups: Lineup[]; hasMore: boolean }>;
  /** The players with these (distinct) ids, in the order of the ids. Unknown ids are skipped. */
  players(ids: string[]): Awaitable<PlayerListing[]>;
  /**
   * The players who currently have one of these (distinct) names, in the order of the names, then
   * by id: at most `limit`, and `each` per name.
   */
  playersNamed(names: string[], limit: number, each?: number): Awaitable<PlayerListing[]>;
  /** The players of the most recent served matches: latest first, then by id. */
  recentPlayers(limit: number): Awaitable<PlayerListing[]>;
  /**
   * The ids of all players (or teams, by their tags) that currently have one of these (distinct) names, in the order of
   * the names, then by id.
   */
  idsNamed(table: NamedTable, names: string[], since?: number): Awaitable<string[]>;
  /** The number of the last commit. Undefined if all reads of a request are in one state. */
  lastCommit?(): Promise<number>;
  /**
   * The changes of served matches after a position, in the order of their commits, at most `limit` of them. A change
   * is left out if its match is not served any more: its removal follows. Undefined: the position is not in the log,
   * because its changes are no longer kept, or the shard was put back to an earlier state.
   */
  changes(after: LogPosition, limit: number): Awaitable<ChangeBatch | undefined>;
  /** The cost grows with the number of tables. */
  sizes(): Awaitable<Sizes>;
  /** The non-standard include paths and resource types in served records. */
  vocabulary(): Awaitable<Vocabulary>;
  /**
   * Reads in one state of the shard: by functions of core/, or with SQL (steps.ts). May be called again, if a replica
   * fails.
   */
  read<T>(steps: () => Steps<T>): Awaitable<T>;
}

export type { LogPosition, Vocabulary } from "../query/query.ts";

export type ChangeKind = "added" | "replaced" | "removed";

/** A change of a served match. */
export interface Change {
  /** After this change. */
  position: LogPosition;
  kind: ChangeKind;
  committedAt: number;
  /** As it is now, or as it was before its removal. */
  match: MatchKey & { gameMode: string; patchVersion: string };
  /** The ids of those who took part. */
  players: string[];
  teams: string[];
}

export interface ChangeBatch {
  changes: Change[];
  /** Where the next batch begins. */
  end: LogPosition;
  /** Whether there were no more changes. */
  isLast: boolean;
}

/** What a reader knows about the state of its shard, at next to no cost. */
export interface LocalState {
  /** The same object until anything changes that readers can see. */
  state(): object;
  /** The creation time of the first match that was created at this time or later. */
  nextMatch(time: number): number | undefined;
}

export interface Summary {
  matches: number;
  /** Players in served matches, also in those that were pruned. */
  players: number;
  /** The creation time of the newest match, if any. */
  newestMatch: number | undefined;
}

export interface Sizes {
  /** The approximate size of the store, including withheld records. */
  bytes: number;
  /** The size of the write-ahead log; undefined if the shard does not have its own. */
  walBytes?: number;
}

/** A stored record, served or withheld. */
export interface StoredMatch extends MatchKey {
  gameMode: string;
  patchVersion: string;
  contentHash: Uint8Array;
  encoded: Fragment;
  /** The players and teams as they were in the record. */
  carried: Fragment;
}

export type { Fate };

export interface ShardRecord {
  fate: Fate;
  match: StoredMatch;
}

/**
 * Everything stored in a shard, read in steps. A step returns at most `limit`, and fewer only at
 * the end.
 */
export interface ShardContents {
  /**
   * Every record once: served ones in order, then withheld ones by id. `after` is the last record
   * of the previous step; a withheld one with the id "" starts with the first withheld record.
   */
  records(
    after: { fate: Fate; match: MatchKey } | undefined,
    limit: number,
  ): Awaitable<ShardRecord[]>;
  /** Rows of any table as they are stored, damaged or not: after one of them, in the order of the key. */
  rows(table: TableShape, range: RowRange): Awaitable<StoredRow[]>;
  /**
   * The prune cutoff: readers return no match that was created before it, whether or not it is
   * removed yet. Undefined if the shard was never pruned.
   */
  prunedBefore(): Awaitable<number | undefined>;
  /** The players whose names must not be stored, by id. */
  redactions(): Awaitable<Redaction[]>;
}

/** A row as it is stored, with its checksum. */
export type StoredRow = Record<string, Value>;

/** One state of a shard. */
export interface StoredState
  extends ShardContents,
    Pick<
      Transaction,
      "load" | "rankedEvidence" | "keys" | "rowCount" | "numbersOf" | "highestNumber" | "run"
    > {
  /**
   * What the store itself finds: pages that cannot be read, and indexes that do not agree with their tables. At most
   * `limit` findings.
   */
  checkIndexes(limit: number): Awaitable<Pick<DamagedData, "table" | "record">[]>;
}

/** The tables of what has a name and an internal number. */
export type NamedTable = "players" | "teams";

/** The internal numbers of players and teams by id, from the shard that another one is rebuilt from. */
export type GivenNumbers = Record<NamedTable, ReadonlyMap<string, number>>;

/** Part of a table in the order of its key. */
export interface RowRange {
  after: StoredRow | undefined;
  limit: number;
  isReverse?: boolean;
}

/** What the row of a shard says. */
export interface ShardChanges {
  log_id?: string;
  sequence?: number;
  token?: string;
  last_player?: number;
  last_team?: number;
}

export type DependentPair = [playerId: string, matchId: string];

export interface Counts extends Omit<Summary, "matches"> {
  served: number;
  withheld: Record<WithheldReason, number>;
  teams: number;
  /** As in `Sizes`. */
  bytes: number;
}

/** A player whose name must not be stored any more. */
export interface Redaction {
  playerId: string;
  redactedAt: number;
}

/** Something that is not as it was written, or not as the records say. */
export interface Damage {
  table: string;
  record: string;
  /** What is wrong, and what it affects. */
  detail: string;
}

/** What a complete verify has found. */
export interface Verdict {
  at: number;
  damaged: number;
  /** The first ones. */
  damage: readonly Damage[];
}

/** A process verifies the shard. Without a time, damage kept the shard from storing it. */
export interface VerifyClaim {
  at: number | undefined;
}

/** What was found out about a shard as a whole. */
export interface Findings {
  /** The last one; undefined if there was none. With damage, nothing of the shard is served. */
  verdict: Verdict | undefined;
  /** When a process began to verify the shard, or to try to. */
  verifyingSince: number | undefined;
  /** Commits in the WAL that followed damage when the shard was opened, and so were lost. */
  wal: { at: number; commits: number } | undefined;
}

/** Reads for operators. They may see an unfinished write of the same writer. */
export interface AdminReader {
  /** As in ShardContents. */
  prunedBefore(): Awaitable<number | undefined>;
  /** How many stored records were created before this time. The cost grows with their number. */
  countOlder(before: number): Awaitable<{ served: number; withheld: number }>;
  /** As in ShardContents. */
  redactions(): Awaitable<Redaction[]>;
  counts(): Awaitable<Counts>;
  findings(): Awaitable<Findings>;
  /**
   * Runs `work` on one consistent state of the shard, however long it takes. Other writers continue
   * meanwhile; writes through this writer wait.
   */
  survey<T>(work: (state: StoredState) => Promise<T>): Promise<T>;
  /**
   * The same for a read that takes long: that of a file would keep its WAL from being emptied, so it is copied to `path`
   * first, and the copy read.
   */
  surveyCopy<T>(path: string, work: (state: StoredState) => Promise<T>): Promise<T>;
}

export interface Writer extends AdminReader {
  /**
   * Runs `work` as one transaction. When the promise resolves, all changes are durable and visible
   * to readers; until then, none are. When it rejects (with the error of `work`, if it threw),
   * nothing has changed, and the writer can still be used. Writers take turns, also across
   * processes, so `work` must write only through its transaction. A writer that waits longer than a
   * minute or two gets a StoreRefuses.
   *
   * With `given`, the shard is being rebuilt: nothing is logged, and new players and teams get these numbers.
   */
  write<T>(work: (transaction: Transaction) => Promise<T>, given?: GivenNumbers): Promise<T>;
  /**
   * Gives free space back to the disk, in short steps between which others may write. Throws StoreError, also if the store
   * does so by itself.
   */
  compact(onProgress: OnProgress): Promise<void>;
  /**
   * Empties the shard's own write-ahead log, if it has one, so that nothing is left in its files of what was removed.
   * False if a long read prevents it.
   */
  emptyLog(): Awaitable<boolean>;
  close(): Awaitable<void>;
}

/** A player in a match, with the result. */
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

export interface HistoryEntry {
  createdAt: number;
  matchId: string;
  result: Result;
}

export type TeamRow = NamedFragments & NamedPlayer;

/** A player's totals after all served matches. */
export interface Standing {
  totals: Totals;
  run: Run;
  /** The latest served match with this player. */
  latest: { createdAt: number; matchId: string };
}

export interface PlayerRow extends TeamRow, Standing {
  /** Undefined also until the ranked matches of the player are counted. */
  skillTier: number | undefined;
}

/** What pruned records left behind of a player: what the others are added to. */
export interface PlayerBase {
  id: string;
  /** How many of the pruned records prove the player to be ranked. */
  rankedEvidence: number;
  /** After the served ones, with the player as in the latest of them; undefined if none was served. */
  standing: (Standing & { snapshot: Fragment }) | undefined;
}

/**
 * Primitive reads and writes. Reads see the changes of the transaction so far. Lists may be empty
 * and contain no duplicates.
 */
export interface Transaction extends ShardContents {
  /** Which of these matches are stored, served or withheld, with their content hashes. */
  known(ids: string[]): Awaitable<Map<string, { fate: Fate; contentHash: Uint8Array }>>;
  /** The records with these ids. Unknown ids are omitted. */
  load(ids: string[]): Awaitable<ShardRecord[]>;
  setPrunedBefore(time: number): Awaitable<void>;
  /** At most `limit` records that were created before this time: served ones in order, then withheld ones. */
  older(before: number, limit: number): Awaitable<ShardRecord[]>;
  /** As in AdminReader. */
  findings(): Awaitable<Findings>;
  /**
   * Also ends a claim. With one, nothing is stored if the shard does not have it any more. A shard without damage is
   * consistent, whatever its WAL has lost, which is forgotten; but not with a claim, because no operator sees that verdict.
   */
  setVerdict(verdict: Verdict, claim?: VerifyClaim): Awaitable<void>;
  /** Whether the shard is to be verified by this process: nobody has, or has begun to, for so long. */
  claimVerify(now: number, intervalMs: number): Awaitable<boolean>;
  releaseVerify(): Awaitable<void>;
  /** Players who are listed already keep their time. */
  addRedactions(redactions: Redaction[]): Awaitable<void>;
  /** The players and teams as they were in a served match; undefined if there is no such match. */
  carried(id: string): Awaitable<Fragment | undefined>;
  /** Adds new matches. Their players and teams must exist by the end of the transaction. */
  addServed(matches: MatchEntry[]): Awaitable<void>;
  /**
   * Removes served matches, given as they were added. Teams that are left without matches must be
   * removed by the end of the transaction, and so must players, unless they have a base.
   */
  removeServed(matches: MatchEntry[]): Awaitable<void>;
  /** Adds new matches. Withheld records create no players and teams. */
  addWithheld(matches: WithheldEntry[]): Awaitable<void>;
  removeWithheld(ids: string[]): Awaitable<void>;

  /** How many records prove each of these players to be ranked; players with none are omitted. */
  rankedEvidence(playerIds: string[]): Awaitable<Map<string, number>>;
  /** Changes the counts. None may end below zero; counts of zero are deleted. */
  changeRankedEvidence(changes: ReadonlyMap<string, number>): Awaitable<void>;

  /**
   * Matches, served or withheld, whose visibility depends on whether one of these players is
   * ranked.
   */
  dependents(playerIds: string[]): Awaitable<string[]>;
  addDependents(pairs: [playerId: string, matchId: string][]): Awaitable<void>;
  removeDependents(pairs: [playerId: string, matchId: string][]): Awaitable<void>;

  /** The stored standings. Unknown players are omitted. */
  standings(playerIds: string[]): Awaitable<Map<string, Standing>>;
  /**
   * The newest `limit` served matches that reference this player, including mentions, newest first.
   */
  playerHistory(playerId: string, limit: number): Awaitable<HistoryEntry[]>;
  /** The id of the newest served match that references this team, including mentions. */
  latestOfTeam(teamId: string): Awaitable<string | undefined>;
  /** The bases of these players. Those who have none are omitted. */
  basesOf(playerIds: string[]): Awaitable<Map<string, PlayerBase>>;
  /** Inserts or replaces bases. */
  putBases(bases: PlayerBase[]): Awaitable<void>;
  /** Unknown ids are ignored. */
  removeBases(playerIds: string[]): Awaitable<void>;
  /** Inserts or replaces players. */
  putPlayers(rows: PlayerRow[]): Awaitable<void>;
  /** Removes players who are in no served match any more and have no base. Unknown ids are ignored. */
  removePlayers(ids: string[]): Awaitable<void>;
  /** Inserts or replaces teams. */
  putTeams(rows: TeamRow[]): Awaitable<void>;
  /** Removes teams that are in no served match any more. Unknown ids are ignored. */
  removeTeams(ids: string[]): Awaitable<void>;

  /** The creation time of the newest served match. */
  newestServed(): Awaitable<number | undefined>;

  /** Changes the number of served records with each extra word: "path:…" or "type:…". */
  changeVocabulary(changes: ReadonlyMap<string, number>): Awaitable<void>;

  /**
   * Up to which match each derived table has the served matches; "all" if it is complete, nothing if it has none. What
   * another version of Matchbook has built is forgotten, because this one does not keep it up to date.
   */
  builtUpTo(): Awaitable<Map<string, MatchKey | "all">>;
  /** Undefined: the table is complete. */
  setBuiltUpTo(table: DerivedTable, last: MatchKey | undefined): Awaitable<void>;
  /** Creates a derived table, without rows that are built from records. */
  clearDerived(table: DerivedTable): Awaitable<void>;
  /** Reads and writes the tables of a feature. */
  run<T>(steps: () => Steps<T>): Awaitable<T>;

  /** The rows of a table without the columns that are not in the key. */
  keys(table: TableShape, range: RowRange): Awaitable<StoredRow[]>;
  rowCount(table: TableShape): Awaitable<number>;
  /** The internal numbers of players or teams. Unknown ids are omitted. */
  numbersOf(table: NamedTable, ids: string[]): Awaitable<Map<string, number>>;
  highestNumber(table: NamedTable): Awaitable<number>;
  /** For a shard that is rebuilt: adds rows of another one, and sets what its own row says. */
  copyRows(table: TableShape, rows: StoredRow[]): Awaitable<void>;
  setShard(changes: ShardChanges): Awaitable<void>;
}

/** The shard's file or database cannot be used; the message says what to do. */
export class StoreError extends Error {
  override name = "StoreError";
}

/** A derived table is not complete yet; everything else of the shard is served. */
export class NotReady extends StoreError {
  override name = "NotReady";

  constructor(table: string) {
    super(`table ${table} is being built from the records: try again later`);
  }
}

/** A stored row is damaged, or an index leads to the wrong row. Nothing of it is served. */
export class DamagedData extends StoreError {
  override name = "DamagedData";

  /** `record` is an id; for the tables "file" and "sqlite_schema" it is the error of SQLite. */
  constructor(
    readonly table: string,
    readonly record: string | number,
  ) {
    const what =
      table === "file" || table === "sqlite_schema"
        ? `the shard's file is damaged (${record})`
        : `${KINDS[table] ?? table} ${record} is damaged in the store`;
    super(`${what}: run 'matchbook repair', or restore the shard from a backup`);
  }
}

/** A verify has found damage in the shard, so that nothing of it is served until one finds none. */
export class DamagedShard extends StoreError {
  override name = "DamagedShard";

  constructor(location: string, { damaged, damage }: Verdict) {
    const first = damage[0] ? `table ${damage[0].table}, record ${damage[0].record}` : "";
    const more = damaged > 1 ? `, and ${damaged - 1} more` : "";
    super(
      `verify has found damage in ${location} (${first}${more}): run 'matchbook repair', or restore the shard from a backup`,
    );
  }
}

/** For messages: what the rows of a table are. */
const KINDS: Record<string, string> = {
  matches: "match",
  documents: "match",
  records: "match",
  players: "player",
  teams: "team",
  player_base: "player",
  player_recent: "player",
  redactions: "the redaction of player",
  changes: "change",
  hero_stats: "the statistics of",
};
/** The rows done so far, and the rows there are. */
export type OnProgress = (done: number, total: number) => void;

/** The shard's database does not respond, or responds with an error that may be temporary. */
export class StoreUnavailable extends StoreError {
  override name = "StoreUnavailable";
}

/**
 * The database is reachable, but retrying soon will not help: wrong password, missing privilege,
 * lock held for too long.
 */
export class StoreRefuses extends StoreUnavailable {
  override name = "StoreRefuses";
}

/** The file that was opened is no longer at its path: it was deleted or replaced. */
export class StoreReplaced extends StoreRefuses {
  override name = "StoreReplaced";
}

/** The store has records of another shard, e.g. because a file was put in the wrong place. */
export class OtherOwner extends StoreError {
  override name = "OtherOwner";

  constructor(location: string, shard: string, owner: string) {
    super(
      `${location} holds the records of shard ${owner}, so it is not used as shard ${shard}: put the right file back or restore a backup, or correct the settings`,
    );
  }
}
