/**
 * What keys and usage need of a database, whichever engine it is, and the runner of migrations.
 *
 * Statements are written once, in the SQL that SQLite and PostgreSQL have in common: tables in braces,
 * {keys}, and parameters as $1, $2. Numbers are read as `double precision`, which both drivers give as
 * JavaScript numbers.
 */

/** Why keys or usage cannot be used, in words meant for the operator. */
export class AccessError extends Error {
  override name = "AccessError";
}

export interface Connection {
  rows<Row>(sql: string, values?: readonly unknown[]): Promise<Row[]>;
  /** Returns how many rows it changed. */
  run(sql: string, values?: readonly unknown[]): Promise<number>;
}

/** Everything that fails because of the database throws AccessError. */
export interface Database extends Connection {
  /** Whether there are tables. Creates nothing. */
  exists(): Promise<boolean>;
  /** Creates what is missing and brings the tables to the present version. */
  open(): Promise<void>;
  /** Runs `work` as one transaction. What it throws itself comes back as it is. */
  transaction<T>(work: (connection: Connection) => Promise<T>): Promise<T>;
  /** Belongs at the beginning of each transaction that changes keys. */
  markKeysChanged(connection: Connection): Promise<void>;
  /** Differs after each change of keys, whoever made it; undefined: there are no keys, nor a place for them. */
  keysVersion(): Promise<string | undefined>;
  close(): Promise<void>;
}

/** Statements that lead from the version that is their index to the next; never change one, only append. */
export type Migrations = readonly (readonly string[])[];

/** How an engine keeps the version of its tables. */
export interface Versioned {
  /** What operators may read of where the tables are. */
  readonly shown: string;
  readonly migrations: Migrations;
  /** 0: there are no tables. */
  version(connection: Connection): Promise<number>;
  setVersion(connection: Connection, version: number): Promise<void>;
  /** Runs first in the transaction: a second process waits here for the first. */
  beginMigration(connection: Connection): Promise<void>;
}

/** Brings tables to the present version; creates them if there are none. Newer ones are refused. */
export async function migrate(
  tables: Versioned,
  connection: Connection,
  transaction: Database["transaction"],
): Promise<void> {
  const { migrations } = tables;
  if ((await knownVersion(tables, connection)) === migrations.length) return;
  await transaction(async (inside) => {
    await tables.beginMigration(inside);
    // Asked again: another process may have been faster.
    const version = await knownVersion(tables, inside);
    for (const statement of migrations.slice(version).flat()) await inside.run(statement);
    await tables.setVersion(inside, migrations.length);
  });
}

async function knownVersion(tables: Versioned, connection: Connection): Promise<number> {
  const version = await tables.version(connection);
  if (version <= tables.migrations.length) return version;
  throw new AccessError(
    `${tables.shown} was written by a newer Matchbook (its format is ${version}, this one knows ${tables.migrations.length}): upgrade Matchbook`,
  );
}
