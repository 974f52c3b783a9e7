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

/** Lower numbers are formats of development versions. */
const FIRST_FORMAT = 4;

/** Tables that are created and migrated together. */
export interface Tables {
  /** Statements that create the first format. */
  create: readonly string[];
  /** Entry n upgrades from the format FIRST_FORMAT + n to the next one. Only append. */
  migrations: readonly (readonly string[])[];
}

export const currentFormat = ({ migrations }: Tables): number => FIRST_FORMAT + migrations.length;

/** How an engine stores the version of its tables. */
export interface Versioned {
  /** The location of the tables, for messages. */
  readonly shown: string;
  readonly tables: Tables;
  /** 0: no tables. */
  version(connection: Connection): Promise<number>;
  setVersion(connection: Connection, version: number): Promise<void>;
  /** Runs first in the transaction: other processes wait here. */
  beginMigration(connection: Connection): Promise<void>;
}

/** Creates or upgrades tables. Throws AccessError if their format cannot be used. */
export async function migrate(
  database: Versioned,
  connection: Connection,
  transaction: Database["transaction"],
): Promise<void> {
  const { tables } = database;
  if ((await knownVersion(database, connection)) === currentFormat(tables)) return;
  await transaction(async (inside) => {
    await database.beginMigration(inside);
    // Checked again: another process may have migrated.
    const version = await knownVersion(database, inside);
    const steps = [tables.create, ...tables.migrations];
    const pending = version === 0 ? steps : steps.slice(version - FIRST_FORMAT + 1);
    for (const statement of pending.flat()) await inside.run(statement);
    await database.setVersion(inside, currentFormat(tables));
  });
}

/** The version of the tables; 0 if there are none. Throws AccessError if it cannot be used. */
export async function knownVersion(database: Versioned, connection: Connection): Promise<number> {
  const { shown, tables } = database;
  const version = await database.version(connection);
  const current = currentFormat(tables);
  if (version > current) {
    throw new AccessError(
      `${shown} was written by a newer Matchbook (format ${version}; this version supports ${current}); upgrade Matchbook to use it`,
    );
  }
  if (version > 0 && version < FIRST_FORMAT) {
    throw new AccessError(
      `${shown} was written by a development version of Matchbook (format ${version}), which this version cannot read: use a new data folder or schema, and create keys and hooks again`,
    );
  }
  return version;
}
