/** The change log in PostgreSQL. */

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
import type { Connection } from "./session.ts";

const ROWS = `SELECT first::float8 AS first, count, committed_at::float8 AS committed_at, changes,
  checksum::float8 AS checksum FROM {match_changes} AS match_changes`;

async function rowAt(connection: Connection, end: "ASC" | "DESC"): Promise<LogRow | undefined> {
  const [row] = await connection.rows<LogRow>(
    `${ROWS} ORDER BY match_changes.first ${end} LIMIT 1`,
  );
  return row;
}

/** Logs the changes of a transaction, and removes old ones. Writers take turns, so numbers have no gaps. */
export async function logChanges(
  connection: Connection,
  changes: TransactionChanges,
  now: number,
): Promise<void> {
  if (changes.isEmpty) return;
  const row = changes.row(lastNumber(await rowAt(connection, "DESC")) + 1, now);
  if (!row) return;
  // From the beginning up to the first that is kept: after a step of the clock, later ones may look older.
  await connection.run(
    `WITH oldest AS MATERIALIZED (
       SELECT first, committed_at FROM {match_changes}
       WHERE first < $1::bigint ORDER BY first LIMIT ${MAX_TRIMMED}),
     past AS (
       DELETE FROM {match_changes} WHERE first IN (SELECT first FROM oldest)
         AND first < (SELECT coalesce(min(first), $1::bigint) FROM oldest WHERE committed_at >= $6::bigint))
     INSERT INTO {match_changes} (first, count, committed_at, changes, checksum)
     VALUES ($1::bigint, $2::integer, $3::bigint, $4, $5::bigint)`,
    [row.first, row.count, row.committed_at, row.changes, row.checksum, now - KEPT_MS],
  );
}

export async function readChanges(
  connection: Connection,
  after: LogPosition,
  limit: number,
): Promise<LoggedChange[] | undefined> {
  const rows = await connection.rows<LogRow>(
    `${ROWS} WHERE match_changes.first >=
       (SELECT coalesce(max(first), 0) FROM {match_changes} AS earlier WHERE first <= $1::bigint)
     AND match_changes.first <= greatest($1::bigint + $2::bigint,
       (SELECT min(first) FROM {match_changes} AS later WHERE first > $1::bigint))
     ORDER BY match_changes.first`,
    [after.number, limit],
  );
  return changesAfter(rows, after, limit, await logIdOf(connection));
}

/** At most `limit` rows, for the check. */
export const logRowsFrom = (
  connection: Connection,
  first: number,
  limit: number,
): Promise<LogRow[]> =>
  connection.rows<LogRow>(
    `${ROWS} WHERE match_changes.first >= $1::bigint ORDER BY match_changes.first LIMIT ${limit}`,
    [first],
  );

export async function readLogEnds(
  connection: Connection,
): Promise<{ beginning: LogPosition; end: LogPosition }> {
  const logId = await logIdOf(connection);
  return {
    beginning: beginningOf(await rowAt(connection, "ASC"), logId),
    end: endOf(await rowAt(connection, "DESC"), logId),
  };
}

export async function readFollowStart(connection: Connection, now: number): Promise<LogPosition> {
  let start = (await readLogEnds(connection)).end;
  const ahead = await connection.rows<{ id: string }>(
    `SELECT id FROM {matches} AS matches
     WHERE created_at > $1::bigint AND created_at <= $2::bigint`,
    [now, now + CLOCK_TOLERANCE_MS],
  );
  const sought = new Set(ahead.map(({ id }) => id));
  let before = start.number + 1;
  while (sought.size > 0) {
    const rows = await connection.rows<LogRow>(
      `${ROWS} WHERE match_changes.first < $1::bigint
       ORDER BY match_changes.first DESC LIMIT ${ROWS_AT_ONCE}`,
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

async function logIdOf(connection: Connection): Promise<string> {
  const [row] = await connection.rows<{ log_id: string }>("SELECT log_id FROM {shard} AS shard");
  return row!.log_id;
}
