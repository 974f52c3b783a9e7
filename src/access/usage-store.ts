/** The stored usage and quotas. Several processes may write: counts add up, and quotas are joined. */

import type { Connection, Database } from "./key-database.ts";
import { joined, type StoredQuota } from "./quota.ts";
import type { KeyDay } from "./usage.ts";

/** Usage is stored for a little more than a year. */
export const KEPT_DAYS = 400;

/** Quotas are stored a day longer than the day they are for: clocks differ, and step back. */
const KEPT_QUOTA_DAYS = 1;

/** Rows of one statement. */
const MOST_ROWS = 64;

interface DayRow extends Omit<KeyDay, "requests"> {
  status: number | null;
  count: number;
}

export class UsageStore {
  constructor(private readonly database: Database) {}

  /** Whether usage was ever written here. Creates nothing. */
  exists(): Promise<boolean> {
    return this.database.exists();
  }

  /** Creates what is missing. */
  open(): Promise<void> {
    return this.database.open();
  }

  /**
   * Adds what was counted to what is stored, all of it or nothing. Returns the quotas as they are stored
   * now, with what other processes have counted.
   */
  async add(days: readonly KeyDay[], quotas: readonly StoredQuota[]): Promise<StoredQuota[]> {
    if (days.length + quotas.length === 0) return [];
    return this.database.transaction(async (connection) => {
      // In one order for all processes, so that none waits for another that waits for it.
      await addDays(connection, days.toSorted(byKeyAndDay));
      return joinQuotas(connection, quotas.toSorted(byKeyAndDay));
    });
  }

  /** Deletes what is too old. */
  async prune(today: number): Promise<void> {
    for (const table of ["requests", "days"]) {
      await this.database.run(`DELETE FROM {${table}} WHERE day < $1`, [today - KEPT_DAYS]);
    }
    await this.database.run("DELETE FROM {budgets} WHERE day < $1", [today - KEPT_QUOTA_DAYS]);
  }

  /** The days from `since` on on which the key was used, oldest first; of every key if none is named. */
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

  /** When each key was last used, if that was within the days that are stored. */
  async lastSeen(): Promise<Map<string, number>> {
    const rows = await this.database.rows<{ keyId: string; at: number }>(
      `SELECT key_id AS "keyId", CAST(max(last_seen) AS double precision) AS "at"
       FROM {days} GROUP BY key_id`,
    );
    return new Map(rows.map(({ keyId, at }) => [keyId, at]));
  }

  /** The quotas of a day; of every key if none is named. */
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
  // The update that changes nothing locks the row, and has it returned as it was.
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

/** In few statements, of sizes that are powers of two: so few different ones are prepared. */
async function insert<Row>(
  connection: Connection,
  rows: readonly (readonly unknown[])[],
  sql: (values: string) => string,
): Promise<Row[]> {
  const returned: Row[] = [];
  for (let at = 0; at < rows.length; ) {
    const size = Math.min(MOST_ROWS, 2 ** Math.floor(Math.log2(rows.length - at)));
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
