/** The change log: how commits are logged, and which changes of served matches follow a position. */

import { CLOCK_TOLERANCE_MS } from "../../domain/time.ts";
import { checksum } from "../checksum.ts";
import { packNumbers } from "../row-encoding.ts";
import { insert, query, remove, type Steps, select } from "../steps.ts";
import {
  type Change,
  type ChangeKind,
  DamagedData,
  type LogPosition,
  type MatchEntry,
  type NamedTable,
} from "../store.ts";
import { isWhole } from "../table.ts";
import { CHANGES, type ChangeRow, type ShardColumns } from "../tables.ts";
import { readShard } from "./shard.ts";

/** How long changes are kept at least. The last transaction is always kept. */
const KEPT_MS = 7 * 24 * 60 * 60 * 1000;

/** How many old rows a transaction removes at most. It adds one. */
const MAX_TRIMMED = 16;

/** A row with its checksum, which is the tag of positions in it. */
type LogRow = ChangeRow & { checksum?: number };

const tagOf = (row: LogRow): number => row.checksum ?? CHANGES.checksum(row);

/** Rows with changes of served matches. */
const WITH_MATCHES = "WHERE changes.count > 0";

function* rowAt(end: "ASC" | "DESC"): Steps<LogRow | undefined> {
  const rows = yield* select(CHANGES, `${WITH_MATCHES} ORDER BY changes.first ${end} LIMIT 1`);
  return rows[0];
}

/** What a transaction has done, as far as it is logged. */
interface LoggedWork {
  matches: TransactionChanges;
  /** The numbers of players and teams. */
  changed: Record<NamedTable, ReadonlySet<number>>;
}

/** Logs a commit, and removes old rows. */
export function* logCommit(
  { matches, changed }: LoggedWork,
  { sequence, token }: Pick<ShardColumns, "sequence" | "token">,
  now: number,
): Steps<void> {
  const last = yield* rowAt("DESC");
  const stored = matches.changes();
  yield* insert(CHANGES, [
    {
      sequence,
      token,
      first: lastNumber(last) + 1,
      count: stored.length,
      committed_at: now,
      players: packNumbers(changed.players),
      teams: packNumbers(changed.teams),
      matches: JSON.stringify(stored),
    },
  ]);
  const oldest = yield* query<{ sequence: number; committed_at: number }>(
    `SELECT sequence::float8 AS sequence, committed_at::float8 AS committed_at FROM {changes} AS changes
     WHERE changes.sequence < $1::bigint ORDER BY changes.sequence LIMIT ${MAX_TRIMMED}`,
    [stored.length > 0 ? sequence : (last?.sequence ?? sequence)],
  );
  // Up to the first that is kept: after a step of the clock, later ones may look older.
  const kept = oldest.findIndex((row) => row.committed_at >= now - KEPT_MS);
  yield* remove(CHANGES, kept === -1 ? oldest : oldest.slice(0, kept));
}

/** A state of the shard. The token distinguishes states with the same number. */
export type CommitState = Pick<ShardColumns, "sequence" | "token">;

/** How many commits a cache may miss before it is dropped. */
const MAX_MISSED = 256;

export interface CommitsSince {
  now: ShardColumns;
  /** Undefined if they are too many, or not all known. */
  missed: ChangeRow[] | undefined;
}

/** The present state, and the commits since another one. */
export function* commitsSince(from: CommitState): Steps<CommitsSince> {
  const now = yield* readShard();
  if (now.token === from.token) return { now, missed: [] };
  const count = now.sequence - from.sequence;
  if (count <= 0 || count > MAX_MISSED) return { now, missed: undefined };
  try {
    const [own, ...since] = yield* select(
      CHANGES,
      "WHERE changes.sequence BETWEEN $1::bigint AND $2::bigint ORDER BY changes.sequence",
      [from.sequence, now.sequence],
    );
    return { now, missed: own?.token === from.token && since.length === count ? since : undefined };
  } catch (error) {
    // To drop the cache is always right.
    if (error instanceof DamagedData) return { now, missed: undefined };
    throw error;
  }
}

/** What was logged after a position, at most `limit` changes. Undefined if the position is not in the log. */
export function* readLogged(after: LogPosition, limit: number): Steps<LoggedChange[] | undefined> {
  const [around] = yield* query<{ earlier: number | null; later: number | null }>(
    `SELECT
       (SELECT max(first) FROM {changes} AS changes ${WITH_MATCHES} AND first <= $1::bigint)::float8 AS earlier,
       (SELECT min(first) FROM {changes} AS changes ${WITH_MATCHES} AND first > $1::bigint)::float8 AS later`,
    [after.number],
  );
  const { earlier, later } = around!;
  // From the row with this number, if there is one, up to that with the last one that is wanted, and at least the next.
  const rows = yield* select(
    CHANGES,
    `${WITH_MATCHES} AND changes.first >= $1::bigint AND changes.first <= $2::bigint ORDER BY changes.first`,
    [earlier ?? 0, Math.max(after.number + limit, later ?? 0)],
  );
  if (!isInLog(rows, after, (yield* readShard()).log_id)) return undefined;
  return rows.flatMap(logged).filter(({ position: { number } }) => {
    return number > after.number && number <= after.number + limit;
  });
}

/** The beginning and the end of the log. */
export function* readLogEnds(): Steps<{ beginning: LogPosition; end: LogPosition }> {
  const { log_id } = yield* readShard();
  return {
    beginning: beginningOf(yield* rowAt("ASC"), log_id),
    end: endOf(yield* rowAt("DESC"), log_id),
  };
}

/**
 * Where somebody begins who follows the changes from now on: at the end of the log, but before the last change of every
 * match that is dated after `now`. Lists do not have such a match yet, and nothing changes when they get it.
 */
export function* readFollowStart(now: number): Steps<LogPosition> {
  let start = (yield* readLogEnds()).end;
  const ahead = yield* query<{ id: string }>(
    "SELECT id FROM {matches} AS matches WHERE created_at > $1::bigint AND created_at <= $2::bigint",
    [now, now + CLOCK_TOLERANCE_MS],
  );
  const sought = new Set(ahead.map(({ id }) => id));
  let before = start.number + 1;
  while (sought.size > 0) {
    const rows = yield* select(
      CHANGES,
      `${WITH_MATCHES} AND changes.first < $1::bigint ORDER BY changes.first DESC LIMIT ${ROWS_AT_ONCE}`,
      [before],
    );
    start = beforeChangesOf(sought, rows) ?? start;
    const oldest = rows.at(-1);
    // Earlier, these matches were too far ahead to be accepted.
    if (!oldest || oldest.committed_at < now - CLOCK_TOLERANCE_MS) break;
    before = oldest.first;
  }
  return start;
}

/** What a change says about its match. */
export type MatchReference = Omit<Change, "position" | "kind" | "committedAt">;

/** A sign and the id of the match. A match that is gone can only be described by the log itself. */
type StoredChange =
  | string
  | [
      signAndId: string,
      createdAt: number,
      gameMode: string,
      patchVersion: string,
      players: string[],
      teams: string[],
    ];

const SIGNS = { added: "+", replaced: "~", removed: "-" } as const;
const KINDS = new Map(
  Object.entries(SIGNS).map(([kind, sign]) => [sign as string, kind as ChangeKind]),
);

/** Collects what a transaction does to served matches. */
export class TransactionChanges {
  /** The state before the transaction of each match that it touched; undefined: not served. */
  readonly #before = new Map<string, MatchEntry | undefined>();
  readonly #served = new Set<string>();

  added(matches: readonly MatchEntry[]): void {
    for (const { id } of matches) {
      if (!this.#before.has(id)) this.#before.set(id, undefined);
      this.#served.add(id);
    }
  }

  removed(matches: readonly MatchEntry[]): void {
    for (const match of matches) {
      if (!this.#before.has(match.id)) this.#before.set(match.id, match);
      this.#served.delete(match.id);
    }
  }

  changes(): StoredChange[] {
    return [...this.#before].flatMap(([id, before]) => this.#change(id, before) ?? []);
  }

  #change(id: string, before: MatchEntry | undefined): [StoredChange] | undefined {
    if (this.#served.has(id)) return [`${before ? SIGNS.replaced : SIGNS.added}${id}`];
    return before && [removal(before)];
  }
}

function removal({ id, createdAt, gameMode, patchVersion, ...match }: MatchEntry): StoredChange {
  const players = match.players.filter(({ result }) => result !== "named");
  const teams = match.teams.filter(({ plays }) => plays);
  return [
    `${SIGNS.removed}${id}`,
    createdAt,
    gameMode,
    patchVersion,
    players.map((player) => player.id),
    teams.map((team) => team.id),
  ];
}

/** A change as it is logged. The match is undefined if the log does not describe it. */
export interface LoggedChange {
  position: LogPosition;
  kind: ChangeKind;
  committedAt: number;
  id: string;
  removed: MatchReference | undefined;
}

/** The tag of the position before the first change, in a log without changes. */
const emptyLogTag = (logId: string): number => checksum([logId]);

/** The number before the next change, given the last row. */
const lastNumber = (last: Pick<ChangeRow, "first" | "count"> | undefined): number =>
  last ? last.first + last.count - 1 : 0;

/** The end of a log, given its last row. */
const endOf = (last: LogRow | undefined, logId: string): LogPosition =>
  last ? { number: lastNumber(last), tag: tagOf(last) } : { number: 0, tag: emptyLogTag(logId) };

/** The beginning of a log, given its first row. */
const beginningOf = (first: LogRow | undefined, logId: string): LogPosition =>
  first ? { number: first.first - 1, tag: tagOf(first) } : { number: 0, tag: emptyLogTag(logId) };

/** A position is before or after a change of the transaction that its tag belongs to. */
function isInLog(rows: readonly LogRow[], { number, tag }: LogPosition, logId: string): boolean {
  const start = rows[0]?.first ?? 1;
  if (number === 0 && start === 1 && tag === emptyLogTag(logId)) return true;
  return rows.some(
    (row) => tagOf(row) === tag && row.first - 1 <= number && number <= lastNumber(row),
  );
}

function logged(row: LogRow): LoggedChange[] {
  const stored: StoredChange[] = JSON.parse(row.matches);
  return stored.map((change, at) => {
    const [signAndId, createdAt, gameMode, patchVersion, players, teams] =
      typeof change === "string" ? [change] : change;
    const id = signAndId.slice(1);
    return {
      position: { number: row.first + at, tag: tagOf(row) },
      kind: KINDS.get(signAndId[0]!)!,
      committedAt: row.committed_at,
      id,
      removed:
        createdAt === undefined
          ? undefined
          : {
              match: { id, createdAt, gameMode: gameMode!, patchVersion: patchVersion! },
              players: players!,
              teams: teams!,
            },
    };
  });
}

/** The ids of the served matches that a commit changed. */
export const changedMatches = (row: Pick<ChangeRow, "matches">): string[] =>
  (JSON.parse(row.matches) as StoredChange[]).map((change) =>
    (typeof change === "string" ? change : change[0]).slice(1),
  );

/**
 * The position before the last change of each of these matches. `rows` are the next older ones, the newest first.
 * What is found is removed from `sought`. Undefined if nothing is.
 */
function beforeChangesOf(sought: Set<string>, rows: readonly LogRow[]): LogPosition | undefined {
  let found: LogPosition | undefined;
  for (const row of rows) {
    for (const { id, position } of logged(row).reverse()) {
      if (sought.delete(id)) found = { ...position, number: position.number - 1 };
    }
  }
  return found;
}

/** How many rows are read at once at most: each may have thousands of changes. */
export const ROWS_AT_ONCE = 32;

/** The sequence numbers of rows that are damaged, or do not follow the row before them. */
export const damagedCommits = (rows: readonly ChangeRow[]): number[] =>
  rows
    .filter((row, at) => {
      const before = rows[at - 1];
      const follows =
        !before ||
        (row.sequence === before.sequence + 1 && row.first === before.first + before.count);
      return !follows || !isWhole(CHANGES, row);
    })
    .map(({ sequence }) => sequence);
