/**
 * Monthly partitions: created ahead for the coming months, and on demand for past months. Times
 * outside the usual range have one partition on each side.
 */

import { PARTITIONED } from "./schema.ts";
import type { Connection } from "./session.ts";

/** Months between these years have their own partitions. */
const FIRST_YEAR = 2000;
const LAST_YEAR = 2100;

const MONTHS_AHEAD = 3;

/** Months since year 0, in UTC; undefined for times without a monthly partition. */
function monthOf(time: number): number | undefined {
  const date = new Date(time);
  const year = date.getUTCFullYear();
  return year >= FIRST_YEAR && year < LAST_YEAR ? 12 * year + date.getUTCMonth() : undefined;
}

/** The partitions known to this process. Partitions are never removed. */
export class Partitions {
  readonly #known = new Set<number>();

  /** Creates partitions for the current and the coming months. */
  async makeAhead(connection: Connection, now: number): Promise<void> {
    await this.#make(connection, monthsAhead(now));
  }

  /** Whether these partitions exist. */
  async areAhead(connection: Connection, now: number): Promise<boolean> {
    for (const month of monthsAhead(now)) {
      if (!(await this.#exists(connection, month))) return false;
    }
    return true;
  }

  /** Creates the partitions for matches of these times. */
  async makeFor(connection: Connection, times: Iterable<number>): Promise<void> {
    const months = new Set<number>();
    for (const time of times) {
      const month = monthOf(time);
      if (month !== undefined && !this.#known.has(month)) months.add(month);
    }
    await this.#make(
      connection,
      [...months].sort((one, other) => one - other),
    );
  }

  /** Called after a rollback. */
  forget(): void {
    this.#known.clear();
  }

  async #make(connection: Connection, months: number[]): Promise<void> {
    for (const month of months) {
      if (!(await this.#exists(connection, month))) {
        const name = (table: string) => partitionName(table, month);
        await addPartitions(connection, name, startOf(month), startOf(month + 1));
      }
      this.#known.add(month);
    }
  }

  async #exists(connection: Connection, month: number): Promise<boolean> {
    if (this.#known.has(month)) return true;
    // Reads the catalogue directly: name lookups may use a cache from before the lock was acquired.
    const found = await connection.rows(
      `SELECT 1 FROM pg_class WHERE relname = $1
         AND relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = '{format}'::regclass)`,
      [partitionName("team_matches", month)],
    );
    if (found.length === 0) return false;
    this.#known.add(month);
    return true;
  }
}

/** Creates the partitions for times without a monthly one. */
export async function makeOutliers(connection: Connection): Promise<void> {
  const [first, last] = [Date.UTC(FIRST_YEAR), Date.UTC(LAST_YEAR)];
  await addPartitions(connection, (table) => `${table}_before`, "MINVALUE", first);
  await addPartitions(connection, (table) => `${table}_after`, last, "MAXVALUE");
}

/**
 * Tables are created first and then attached, which does not block readers. PARTITION OF would lock
 * them out until the end of the transaction, and so would a default partition.
 */
async function addPartitions(
  connection: Connection,
  nameOf: (table: string) => string,
  from: number | "MINVALUE",
  to: number | "MAXVALUE",
): Promise<void> {
  for (const [table, storage] of Object.entries(PARTITIONED)) {
    const name = nameOf(table);
    await connection.run(
      `CREATE TABLE {${name}} (LIKE {${table}} INCLUDING DEFAULTS INCLUDING STORAGE) ${storage}`,
    );
    await connection.run(
      `ALTER TABLE {${table}} ATTACH PARTITION {${name}} FOR VALUES FROM (${from}) TO (${to})`,
    );
  }
}

function monthsAhead(now: number): number[] {
  const month = monthOf(now);
  if (month === undefined) return [];
  return Array.from({ length: MONTHS_AHEAD + 1 }, (_, ahead) => month + ahead);
}

function partitionName(table: string, month: number): string {
  const year = Math.floor(month / 12);
  return `${table}_${year}_${String((month % 12) + 1).padStart(2, "0")}`;
}

function startOf(month: number): number {
  return Date.UTC(Math.floor(month / 12), month % 12);
}
