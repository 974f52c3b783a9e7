/** The change log in SQLite. */

import { CLOCK_TOLERANCE_MS } from "../../domain/time.ts";
import {
  beforeChangesOf,
  beginningOf,
  changesAfter,
  endOf,
  KEPT_MS,
  type LoggedChange,
  type LogRow,
  lastNumber,
  MAX_TRIMMED,
  ROWS_AT_ONCE,
  type TransactionChanges,
} from "../change-log.ts";
import type { LogPosition } from "../store.ts";
import type { Statements } from "./statements.ts";
import { readShard } from "./totals.ts";

const ROWS = "SELECT first, count, committed_at, changes, checksum FROM match_changes";

const rowAt = (database: Statements, end: "ASC" | "DESC"): LogRow | undefined =>
  database.row<LogRow>(`${ROWS} ORDER BY first ${end} LIMIT 1`) ?? undefined;

/** Logs the changes of a transaction, and removes old ones. */
export function logChanges(database: Statements, changes: TransactionChanges, now: number): void {
  const row = changes.row(lastNumber(rowAt(database, "DESC")) + 1, now);
  if (!row) return;
  const { first, count, committed_at, checksum } = row;
  database.run(
    "INSERT INTO match_changes (first, count, committed_at, changes, checksum) VALUES (?, ?, ?, ?, ?)",
    ...[first, count, committed_at, row.changes, checksum],
  );
  // From the beginning up to the first that is kept: after a step of the clock, later ones may look older.
  database.run(
    `WITH oldest AS MATERIALIZED
       (SELECT first, committed_at FROM match_changes WHERE first < ?2 ORDER BY first LIMIT ${MAX_TRIMMED})
     DELETE FROM match_changes WHERE first IN (SELECT first FROM oldest)
       AND first < (SELECT coalesce(min(first), ?2) FROM oldest WHERE committed_at >= ?1)`,
    now - KEPT_MS,
    first,
  );
}

export function readChanges(
  database: Statements,
  after: LogPosition,
  limit: number,
): LoggedChange[] | undefined {
  const rows = database
    .get<LogRow>(
      `${ROWS} WHERE first >= (SELECT coalesce(max(first), 0) FROM match_changes WHERE first <= ?1)
       AND first <= max(?1 + ?2, (SELECT coalesce(min(first), 0) FROM match_changes WHERE first > ?1))
       ORDER BY first`,
    )
    .all(after.number, limit);
  return changesAfter(rows, after, limit, readShard(database).log_id);
}

/** At most `limit` rows, for the check. */
export const logRowsFrom = (database: Statements, first: number, limit: number): LogRow[] =>
  database.get<LogRow>(`${ROWS} WHERE first >= ? ORDER BY first LIMIT ${limit}`).all(first);

export function readLogEnds(database: Statements): { beginning: LogPosition; end: LogPosition } {
  const { log_id } = readShard(database);
  return {
    beginning: beginningOf(rowAt(database, "ASC"), log_id),
    end: endOf(rowAt(database, "DESC"), log_id),
  };
}

export function readFollowStart(database: Statements, now: number): LogPosition {
  let start = readLogEnds(database).end;
  const ahead = database
    .get<{ id: string }>("SELECT id FROM matches WHERE created_at > ? AND created_at <= ?")
    .all(now, now + CLOCK_TOLERANCE_MS);
  const sought = new Set(ahead.map(({ id }) => id));
  let before = start.number + 1;
  while (sought.size > 0) {
    const rows = database
      .get<LogRow>(`${ROWS} WHERE first < ? ORDER BY first DESC LIMIT ${ROWS_AT_ONCE}`)
      .all(before);
    start = beforeChangesOf(sought, rows) ?? start;
    const oldest = rows.at(-1);
    // Earlier, these matches were too far ahead to be accepted.
    if (!oldest || oldest.committed_at < now - CLOCK_TOLERANCE_MS) break;
    before = oldest.first;
  }
  return start;
}
