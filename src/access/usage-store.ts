/**
 * Stores usage and the matches that count against quotas. Several processes may write: usage is added
 * up; matches are appended to a log, which each process follows.
 */

import type { Connection, Database } from "./key-database.ts";
import type { CountedMatches } from "./quota.ts";
import { daysIn, type KeyDay, type UsageCount } from "./usage.ts";

/** Usage is kept for a little more than a year. */
export const KEPT_DAYS = 400;

/** The log is kept one day longer, because clocks differ and can step back. */
const KEPT_LOG_DAYS = 1;

/** Rows of the log that are read at once. */
const LOG_PAGE = 1000;

/** Rows per statement. */
const MAX_ROWS = 64;

export class UsageStore {
  constructor(private readonly database: Database) {}

  /** Adds usage and appends matches, in one transaction. */
  async add(counts: readonly UsageCount[], counted: readonly CountedMatches[]): Promise<void> {
    if (counts.length + counted.length === 0) return;
    await this.database.transaction(async (connection) => {
      // The same order in all processes prevents deadlocks.
      await addCounts(connection, counts.toSorted(byName));
      await appendMatches(connection, counted);
    });
  }

  async prune(today: number): Promise<void> {
    await this.database.run("DELETE FROM {requests} WHERE day < $1", [today - KEPT_DAYS]);
    await this.database.run("DELETE FROM {quota_log} WHERE day < $1", [today - KEPT_LOG_DAYS]);
  }

  /** The usage since a day, oldest first, for one key or for all. */
  async read(since: number, keyId?: string): Promise<KeyDay[]> {
    const counts = await this.database.rows<UsageCount>(
      `SELECT key_id AS "keyId", day, status, CAST(requests AS double precision) AS "requests",
         CAST(records AS double precision) AS "records",
         CAST(last_seen AS double precision) AS "lastSeen"
       FROM {requests} WHERE day >= $1 ${keyId === undefined ? "" : "AND key_id = $2"}
       ORDER BY day, key_id, status`,
      keyId === undefined ? [since] : [since, keyId],
    );
    return daysIn(counts);
  }

  /** When each key was last used within the stored days. */
  async lastSeen(): Promise<Map<string, number>> {
    const rows = await this.database.rows<{ keyId: string; at: number }>(
      `SELECT key_id AS "keyId", CAST(max(last_seen) AS double precision) AS "at"
       FROM {requests} GROUP BY key_id`,
    );
    return new Map(rows.map(({ keyId, at }) => [keyId, at]));
  }

  /**
   * The next entries of the log after a position, by any process, and the position to continue from:
   * the same one at the end of the log.
   */
  async countedAfter(position: number): Promise<{ counted: CountedMatches[]; position: number }> {
    const [row] = await this.database.rows<{ end: number }>(
      'SELECT CAST(position AS double precision) AS "end" FROM {quota_log_end}',
    );
    const { end } = row!;
    if (end === position) return { counted: [], position };
    const rows = await this.database.rows<LogRow & { at: number }>(
      `SELECT CAST(position AS double precision) AS "at", key_id AS "keyId", day, matches
       FROM {quota_log} WHERE position > $1 ORDER BY position LIMIT ${LOG_PAGE}`,
      // It is lower if the file was replaced.
      [end < position ? 0 : position],
    );
    return { counted: rows.map(parsedEntry), position: rows.at(-1)?.at ?? end };
  }

  /** How many distinct matches of a key were counted on a day. */
  async distinctMatches(day: number, keyId: string): Promise<number> {
    const rows = await this.database.rows<LogRow>(
      'SELECT key_id AS "keyId", day, matches FROM {quota_log} WHERE day = $1 AND key_id = $2',
      [day, keyId],
    );
    return new Set(rows.flatMap((row) => parsedEntry(row).matches)).size;
  }
}

interface LogRow extends Omit<CountedMatches, "matches"> {
  matches: Uint8Array;
}

/** Matches are stored as 8 bytes each. */
function parsedEntry({ keyId, day, matches }: LogRow): CountedMatches {
  // A copy: the bytes of a Buffer need not be aligned.
  const { buffer } = new Uint8Array(matches);
  return { keyId, day, matches: [...new Float64Array(buffer, 0, matches.length >> 3)] };
}

async function appendMatches(
  connection: Connection,
  counted: readonly CountedMatches[],
): Promise<void> {
  if (counted.length === 0) return;
  const [row] = await connection.rows<{ end: number }>(
    `UPDATE {quota_log_end} SET position = position + $1
     RETURNING CAST(position AS double precision) AS "end"`,
    [counted.length],
  );
  const before = row!.end - counted.length;
  await insert(
    connection,
    counted.map(({ keyId, day, matches }, index) => [
      before + index + 1,
      keyId,
      day,
      new Uint8Array(Float64Array.from(matches).buffer),
    ]),
    (values) => `INSERT INTO {quota_log} (position, key_id, day, matches) VALUES ${values}`,
  );
}

async function addCounts(connection: Connection, counts: readonly UsageCount[]): Promise<void> {
  await insert(
    connection,
    counts.map(({ keyId, day, status, requests, records, lastSeen }) => [
      ...[keyId, day, status, requests, records, Math.round(lastSeen)],
    ]),
    (values) =>
      `INSERT INTO {requests} AS old (key_id, day, status, requests, records, last_seen)
       VALUES ${values}
       ON CONFLICT (key_id, day, status) DO UPDATE SET
         requests = old.requests + excluded.requests, records = old.records + excluded.records,
         last_seen = CASE WHEN excluded.last_seen > old.last_seen
           THEN excluded.last_seen ELSE old.last_seen END`,
  );
}

/** Inserts in chunks whose sizes are powers of two, so that few statements are prepared. */
async function insert(
  connection: Connection,
  rows: readonly (readonly unknown[])[],
  sql: (values: string) => string,
): Promise<void> {
  for (let at = 0; at < rows.length; ) {
    const size = Math.min(MAX_ROWS, 2 ** Math.floor(Math.log2(rows.length - at)));
    const chunk = rows.slice(at, at + size);
    let parameter = 0;
    const values = chunk.map((row) => `(${row.map(() => `$${++parameter}`).join(", ")})`);
    await connection.run(sql(values.join(", ")), chunk.flat());
    at += size;
  }
}

const nameOf = ({ keyId, day, status }: UsageCount) => `${keyId} ${day} ${status}`;

const byName = (one: UsageCount, other: UsageCount): number =>
  nameOf(one) < nameOf(other) ? -1 : 1;
