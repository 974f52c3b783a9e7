/** In charge of usage and budgets in PostgreSQL, to which several instances add. */

import type { Connection } from "../../postgres/session.ts";
import { type Book, KEPT_DAYS } from "../book.ts";
import { joined, type KeptBudget, type KeptCount } from "../budget.ts";
import { type KeyDay, keyDays, type RequestCount } from "../usage.ts";
import type { AccessSession } from "./session.ts";

export class PostgresBook implements Book {
  readonly #session: AccessSession;

  constructor(session: AccessSession) {
    this.#session = session;
  }

  async write(days: readonly KeyDay[], budgets: readonly KeptBudget[]): Promise<KeptBudget[]> {
    if (days.length + budgets.length === 0) return [];
    return this.#session.transaction("READ COMMITTED", async (connection) => {
      // In one order for all instances, so that none waits for another that waits for it.
      await addDays(connection, days.toSorted(byKeyAndDay));
      const kept: KeptBudget[] = [];
      for (const budget of budgets.toSorted(byKeyAndDay)) kept.push(await join(connection, budget));
      return kept;
    });
  }

  async prune(today: number): Promise<void> {
    for (const table of ["requests", "days"]) {
      await this.#session.run(`DELETE FROM {${table}} WHERE day < $1`, [today - KEPT_DAYS]);
    }
    await this.#session.run("DELETE FROM {budgets} WHERE day < $1", [today]);
  }

  read(since: number, keyId?: string): Promise<KeyDay[]> {
    const whose = keyId === undefined ? "" : " AND key_id = $2";
    const values = keyId === undefined ? [since] : [since, keyId];
    return this.#session.transaction("REPEATABLE READ READ ONLY", async (connection) => {
      const days = await connection.rows<Omit<KeyDay, "requests">>(
        `SELECT key_id AS "keyId", day, records::float8 AS records, last_seen::float8 AS "lastSeen"
         FROM {days} WHERE day >= $1${whose} ORDER BY day, key_id`,
        values,
      );
      const requests = await connection.rows<RequestCount>(
        `SELECT key_id AS "keyId", day, status, count::float8 AS count FROM {requests}
         WHERE day >= $1${whose} ORDER BY status`,
        values,
      );
      return keyDays(days, requests);
    });
  }

  async lastSeen(): Promise<Map<string, number>> {
    const rows = await this.#session.rows<{ keyId: string; at: number }>(
      'SELECT key_id AS "keyId", max(last_seen)::float8 AS at FROM {days} GROUP BY key_id',
    );
    return new Map(rows.map(({ keyId, at }) => [keyId, at]));
  }

  budget(keyId: string, day: number): Promise<KeptCount | undefined> {
    return budgetOf(this.#session, keyId, day);
  }

  /** The connections are its opener's. */
  close(): void {}
}

const byKeyAndDay = <T extends { keyId: string; day: number }>(one: T, other: T): number =>
  one.keyId < other.keyId ? -1 : one.keyId > other.keyId ? 1 : one.day - other.day;

async function addDays(connection: Connection, days: readonly KeyDay[]): Promise<void> {
  if (days.length === 0) return;
  await connection.run(
    `INSERT INTO {days} AS old (key_id, day, records, last_seen)
     SELECT * FROM unnest($1::text[], $2::integer[], $3::bigint[], $4::bigint[])
     ON CONFLICT (key_id, day) DO UPDATE SET records = old.records + excluded.records,
       last_seen = greatest(old.last_seen, excluded.last_seen)`,
    [
      days.map(({ keyId }) => keyId),
      days.map(({ day }) => day),
      days.map(({ records }) => records),
      days.map(({ lastSeen }) => Math.round(lastSeen)),
    ],
  );
  const counts = days.flatMap(({ keyId, day, requests }) =>
    [...requests]
      .sort(([one], [other]) => one - other)
      .map(([status, count]) => ({ keyId, day, status, count })),
  );
  await connection.run(
    `INSERT INTO {requests} AS old (key_id, day, status, count)
     SELECT * FROM unnest($1::text[], $2::integer[], $3::integer[], $4::bigint[])
     ON CONFLICT (key_id, day, status) DO UPDATE SET count = old.count + excluded.count`,
    [
      counts.map(({ keyId }) => keyId),
      counts.map(({ day }) => day),
      counts.map(({ status }) => status),
      counts.map(({ count }) => count),
    ],
  );
}

/** The row is there before it is locked, so that two instances cannot both find none. */
async function join(connection: Connection, budget: KeptBudget): Promise<KeptBudget> {
  const { keyId, day, ...count } = budget;
  const made = await connection.run(
    `INSERT INTO {budgets} (key_id, day, counter, exceeded) VALUES ($1, $2, $3, $4)
     ON CONFLICT DO NOTHING`,
    [keyId, day, count.counter, count.exceeded],
  );
  if (made > 0) return budget;
  const there = await budgetOf(connection, keyId, day, "FOR UPDATE");
  const { counter, exceeded } = there ? joined(there, count) : count;
  await connection.run(
    "UPDATE {budgets} SET counter = $3, exceeded = $4 WHERE key_id = $1 AND day = $2",
    [keyId, day, counter, exceeded],
  );
  return { keyId, day, counter, exceeded };
}

async function budgetOf(
  connection: Connection,
  keyId: string,
  day: number,
  lock = "",
): Promise<KeptCount | undefined> {
  const [row] = await connection.rows<KeptCount>(
    `SELECT counter, exceeded::float8 AS exceeded FROM {budgets} WHERE key_id = $1 AND day = $2 ${lock}`,
    [keyId, day],
  );
  return row;
}
