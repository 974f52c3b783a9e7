/**
 * The database interface of keys and usage for both engines, and how their tables are created.
 *
 * Statements are written once, in SQL that SQLite and PostgreSQL share: table names in braces,
 * {keys}, and parameters as $1, $2. Numbers are read as `double precision`, which both drivers
 * return as JavaScript numbers.
 */

import type { TableShape } from "../store/table.ts";
import type { AccessTables } from "./tables.ts";

/** The database of keys or usage cannot be used. The message is for operators. */
export class AccessError extends Error {
  override name = "AccessError";
}

export interface Connection {
  rows<Row>(sql: string, values?: readonly unknown[]): Promise<Row[]>;
  /** Returns the number of changed rows. */
  run(sql: string, values?: readonly unknown[]): Promise<number>;
}

/** Database failures throw AccessError. One that is read-only has no rows while there are no tables, and creates none. */
export interface Database extends Connection {
  /** Whether the tables exist. Creates nothing. */
  exists(): Promise<boolean>;
  /** Runs `work` as one transaction. Its own errors are rethrown unchanged. */
  transaction<T>(work: (connection: Connection) => Promise<T>): Promise<T>;
  /** Must be called at the start of each transaction that changes keys. */
  markKeysChanged(connection: Connection): Promise<void>;
  /** Changes with every change of keys by any process. Undefined: there are no keys yet. */
  keysVersion(): Promise<string | undefined>;
  close(): Promise<void>;
}

/** The version of all tables. Others are formats of development versions, or newer. */
export const FORMAT = 6;

/** How an engine creates tables and stores their version. */
export interface Versioned {
  /** The location of the tables, for messages. */
  readonly shown: string;
  readonly tables: Pick<AccessTables, "tables" | "rows">;
  /** The statements that create a table. */
  creating(table: TableShape): string[];
  /** 0: no tables. */
  version(connection: Connection): Promise<number>;
  setVersion(connection: Connection, version: number): Promise<void>;
  /** Runs first in the transaction: other processes wait here. */
  beginCreation(connection: Connection): Promise<void>;
}

/** Creates the tables, unless they exist. Throws AccessError if their format cannot be used. */
export async function createTables(
  database: Versioned,
  connection: Connection,
  transaction: Database["transaction"],
): Promise<void> {
  if ((await knownVersion(database, connection)) > 0) return;
  await transaction(async (inside) => {
    await database.beginCreation(inside);
    // Checked again: another process may have created them.
    if ((await knownVersion(database, inside)) > 0) return;
    const { tables, rows = [] } = database.tables;
    const create = tables.flatMap((table) => database.creating(table));
    for (const statement of [...create, ...rows]) await inside.run(statement);
    await database.setVersion(inside, FORMAT);
  });
}

/** The version of the tables; 0 if there are none. Throws AccessError if it cannot be used. */
export async function knownVersion(database: Versioned, connection: Connection): Promise<number> {
  const { shown } = database;
  const version = await database.version(connection);
  if (version > FORMAT) {
    throw new AccessError(
      `${shown} was written by a newer Matchbook (format ${version}; this version supports ${FORMAT}); upgrade Matchbook to use it`,
    );
  }
  if (version > 0 && version < FORMAT) {
    throw new AccessError(
      `${shown} was written by a development version of Matchbook (format ${version}), which this version cannot read: use a new data folder or schema, and create keys and hooks again`,
    );
  }
  return version;
}
