/**
 * Monthly partitions, created by the first write that needs them. Times outside the usual range have one partition on each
 * side.
 */

import { PARTITIONED } from "./schema.ts";
import type { Connection } from "./session.ts";

/** Months between these years have their own partitions. */
const FIRST_YEAR = 2000;
const LAST_YEAR = 2100;

const LAST_CREATED = Object.keys(PARTITIONED).at(-1)!;

/** Months since year 0, in UTC; undefined for times without a monthly partition. */
function monthOf(time: number): number | undefined {
  const date = new Date(time);
  const year = date.getUTCFullYear();
  return year >= FIRST_YEAR && year < LAST_YEAR ? 12 * year + date.getUTCMonth() : undefined;
}

/**
 * Creates the partitions for matches of these times that do not exist yet. What exists is read in each transaction, because
 * one that fails takes its partitions with it.
 */
export async function makePartitions(
  connection: Connection,
  times: Iterable<number>,
): Promise<void> {
  const months = new Map<string, number>();
  for (const time of times) {
    const month = monthOf(time);
    if (month !== undefined) months.set(partitionName(LAST_CREATED, month), month);
  }
  // Reads the catalogue directly: name lookups may use a cache from before the lock was acquired, and a prepared
  // statement would keep the number of a table that was replaced meanwhile.
  const existing = await connection.rows<{ name: string }>(
    `SELECT relname AS name FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
     WHERE relname = ANY($1::text[]) AND nspname = (parse_ident('{matches}'))[1]`,
    [[...months.keys()]],
  );
  for (const { name } of existing) months.delete(name);
  for (const month of [...months.values()].sort((one, other) => one - other)) {
    const name = (table: string) => partitionName(table, month);
    await addPartitions(connection, name, startOf(month), startOf(month + 1));
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

function partitionName(table: string, month: number): string {
  const year = Math.floor(month / 12);
  return `${table}_${year}_${String((month % 12) + 1).padStart(2, "0")}`;
}

function startOf(month: number): number {
  return Date.UTC(Math.floor(month / 12), month % 12);
}
