/** Stores usage and quotas. Several processes may write: counts are added, quotas are merged. */

import type { Connection, Database } from "./key-database.ts";
import { joined, type StoredQuota } from "./quota.ts";
import type { KeyDay } from "./usage.ts";

/** Usage is kept for a little more than a year. */
export const KEPT_DAYS = 400;

/** Quotas are kept one day longer, because clocks differ and can step back. */
const KEPT_QUOTA_DAYS = 1;

/** Rows per statement. */
const MAX_ROWS = 64;

interface DayRow extends Omit<KeyDay, "requests"> {
  status: number | null;
  count: number;
}

export class UsageStore {
  constructor(private readonly database: Database) {}

  /** Whether the tables exist. Creates nothing. */
  exists(): Promise<boolean> {
    return this.database.exists();
  }

  open(): Promise<void> {
    return this.database.open();
  }

  /**
   * Adds counts in one transaction. Returns the stored quotas, including the counts of other
   * processes.
   */
  async add(days: readonly KeyDay[], quotas: readonly StoredQuota[]): Promise<StoredQuota[]> {
    if (days.length + quotas.length === 0) return [];
    return this.database.transaction(async (connection) => {
      // The same order in all processes prevents deadlocks.
      await addDays(connection, days.toSorted(byKeyAndDay));
      return joinQuotas(connection, quotas.toSorted(byKeyAndDay));
    });
  }

  async prune(today: number): Promise<void> {
    for (const table of ["requests", "days"]) {
      await this.database.run(`DELETE FROM {${table}} WHERE day < $1`, [today - KEPT_DAYS]);
    }
    await this.database.run("DELETE FROM {budgets} WHERE day < $1", [today - KEPT_QUOTA_DAYS]);
  }

  /** The usage since a day, oldest first, for one key or for all. */
  async read(since: number, keyId?: string): Promise<KeyDay[]> {
    const rows = await this.database.rows<DayRow>(
      `SELECT days.key_id AS "keyId", days.day AS "day", CAST(records AS double precision) AS "records",
         CAST(last_seen AS double precision) AS "lastSeen", status,
         CAST(count AS double precision) AS "count"
       FROM {days} AS days LEFT JOIN {requests} AS requests
         ON requests.key_id = days.key_id AND requests.day = days.day
       WHERE days.day >= $1 ${keyId === undefined ? "" : "AND days.key_id = $2"}
       ORDER BY days.day, days.key_id, status`,
      keyId === undefined ? [since] : [since, keyId],
    );
    const byDay = Map.groupBy(rows, (row) => `${row.day} ${row.keyId}`);
    return [...byDay.values()].map((statuses) => {
      const { status: _, count: __, ...day } = statuses[0]!;
      const counts = statuses.filter(({ status }) => status !== null);
      return { ...day, requests: new Map(counts.map(({ status, count }) => [status!, count])) };
    });
  }

  /** When each key was last used within the stored days. */
  async lastSeen(): Promise<Map<string, number>> {
    const rows = await this.database.rows<{ keyId: string; at: number }>(
      `SELECT key_id AS "keyId", CAST(max(last_seen) AS double precision) AS "at"
       FROM {days} GROUP BY key_id`,
    );
    return new Map(rows.map(({ keyId, at }) => [keyId, at]));
  }

  /** The quotas of a day, for one key or for all. */
  quotas(day: number, keyId?: string): Promise<StoredQuota[]> {
    const whose = keyId === undefined ? "" : "AND key_id = $2";
    return this.database.rows<StoredQuota>(
      `SELECT ${QUOTA} FROM {budgets} WHERE day = $1 ${whose}`,
      keyId === undefined ? [day] : [day, keyId],
    );
  }
}

const QUOTA = 'key_id AS "keyId", day, counter, CAST(exceeded AS double precision) AS "exceeded"';

async function addDays(connection: Connection, days: readonly KeyDay[]): Promise<void> {
  await insert(
    connection,
    days.map(({ keyId, day, records, lastSeen }) => [keyId, day, records, Math.round(lastSeen)]),
    (values) =>
      `INSERT INTO {days} AS old (key_id, day, records, last_seen) VALUES ${values}
       ON CONFLICT (key_id, day) DO UPDATE SET records = old.records + excluded.records,
         last_seen = CASE WHEN excluded.last_seen > old.last_seen
           THEN excluded.last_seen ELSE old.last_seen END`,
  );
  await insert(
    connection,
    days.flatMap(({ keyId, day, requests }) =>
      [...requests]
        .sort(([one], [other]) => one - other)
        .map(([status, count]) => [keyId, day, status, count]),
    ),
    (values) =>
      `INSERT INTO {requests} AS old (key_id, day, status, count) VALUES ${values}
       ON CONFLICT (key_id, day, status) DO UPDATE SET count = old.count + excluded.count`,
  );
}

async function joinQuotas(
  connection: Connection,
  quotas: readonly StoredQuota[],
): Promise<StoredQuota[]> {
  const rowOf = ({ keyId, day, counter, exceeded }: StoredQuota) => [keyId, day, counter, exceeded];
  // The no-op update locks the row and returns it.
  const stored = await insert<StoredQuota>(
    connection,
    quotas.map(rowOf),
    (values) =>
      `INSERT INTO {budgets} AS old (key_id, day, counter, exceeded) VALUES ${values}
       ON CONFLICT (key_id, day) DO UPDATE SET day = old.day RETURNING ${QUOTA}`,
  );
  const known = new Map(stored.map((quota) => [`${quota.keyId} ${quota.day}`, quota]));
  const together = quotas.map((quota) => joined(known.get(`${quota.keyId} ${quota.day}`)!, quota));
  await insert(
    connection,
    together.map(rowOf),
    (values) =>
      `INSERT INTO {budgets} (key_id, day, counter, exceeded) VALUES ${values}
       ON CONFLICT (key_id, day) DO UPDATE SET counter = excluded.counter,
         exceeded = excluded.exceeded`,
  );
  return together;
}

/** Inserts in chunks whose sizes are powers of two, so that few statements are prepared. */
async function insert<Row>(
  connection: Connection,
  rows: readonly (readonly unknown[])[],
  sql: (values: string) => string,
): Promise<Row[]> {
  const returned: Row[] = [];
  for (let at = 0; at < rows.length; ) {
    const size = Math.min(MAX_ROWS, 2 ** Math.floor(Math.log2(rows.length - at)));
    const chunk = rows.slice(at, at + size);
    let parameter = 0;
    const values = chunk.map((row) => `(${row.map(() => `$${++parameter}`).join(", ")})`);
    returned.push(...(await connection.rows<Row>(sql(values.join(", ")), chunk.flat())));
    at += size;
  }
  return returned;
}

const byKeyAndDay = <T extends { keyId: string; day: number }>(one: T, other: T): number =>
  one.keyId < other.keyId ? -1 : one.keyId > other.keyId ? 1 : one.day - other.day;
