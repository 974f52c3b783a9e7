/**
 * The database interface of keys and usage for both engines, and the migration runner.
 *
 * Statements are written once, in SQL that SQLite and PostgreSQL share: table names in braces,
 * {keys}, and parameters as $1, $2. Numbers are read as `double precision`, which both drivers
 * return as JavaScript numbers.
 */

/** The database of keys or usage cannot be used. The message is for operators. */
export class AccessError extends Error {
  override name = "AccessError";
}

export interface Connection {
  rows<Row>(sql: string, values?: readonly unknown[]): Promise<Row[]>;
  /** Returns the number of changed rows. */
  run(sql: string, values?: readonly unknown[]): Promise<number>;
}

/** Database failures throw AccessError. */
export interface Database extends Connection {
  /** Whether the tables exist. Creates nothing. */
  exists(): Promise<boolean>;
  /** Creates and migrates the tables. */
  open(): Promise<void>;
  /** Runs `work` as one transaction. Its own errors are rethrown unchanged. */
  transaction<T>(work: (connection: Connection) => Promise<T>): Promise<T>;
  /** Must be called at the start of each transaction that changes keys. */
  markKeysChanged(connection: Connection): Promise<void>;
  /** Changes with every change of keys by any process. Undefined: there are no keys yet. */
  keysVersion(): Promise<string | undefined>;
  close(): Promise<void>;
}

/** Entry n upgrades from version n to n + 1. Only append. */
export type Migrations = readonly (readonly string[])[];

/** How an engine stores the version of its tables. */
export interface Versioned {
  /** The location of the tables, for messages. */
  readonly shown: string;
  readonly migrations: Migrations;
  /** 0: no tables. */
  version(connection: Connection): Promise<number>;
  setVersion(connection: Connection, version: number): Promise<void>;
  /** Runs first in the transaction: other processes wait here. */
  beginMigration(connection: Connection): Promise<void>;
}

/** Creates or upgrades tables. Rejects newer versions. */
export async function migrate(
  tables: Versioned,
  connection: Connection,
  transaction: Database["transaction"],
): Promise<void> {
  const { migrations } = tables;
  if ((await knownVersion(tables, connection)) === migrations.length) return;
  await transaction(async (inside) => {
    await tables.beginMigration(inside);
    // Checked again: another process may have migrated.
    const version = await knownVersion(tables, inside);
    for (const statement of migrations.slice(version).flat()) await inside.run(statement);
    await tables.setVersion(inside, migrations.length);
  });
}

/** The version of the tables. Rejects newer ones. */
export async function knownVersion(tables: Versioned, connection: Connection): Promise<number> {
  const version = await tables.version(connection);
  if (version <= tables.migrations.length) return version;
  throw new AccessError(
    `${tables.shown} was written by a newer Matchbook (format ${version}; this version supports ${tables.migrations.length}); upgrade Matchbook to use it`,
  );
}
