/** Keys, usage and hooks in PostgreSQL, shared by several instances. */

import { createTable } from "../../postgres/create.ts";
import {
  OTHER_CONNECTIONS,
  type OwnErrors,
  PostgresSession,
  type PostgresTarget,
  quoted,
} from "../../postgres/session.ts";
import {
  AccessError,
  type Connection,
  createTables,
  type Database,
  type Versioned,
} from "../key-database.ts";
import { type AccessTables, SHARED_TABLES } from "../tables.ts";

const PATIENCE = { readMs: 3000, writeMs: 3000 };

/**
 * A process that is frozen in the middle of a transaction holds up the others, each of whose attempts would keep a
 * connection waiting on the server. So it is ended, and they wait for less time than the session does.
 */
const LET_OTHERS_CONTINUE = `SELECT set_config('lock_timeout', '${PATIENCE.writeMs - 500}', true),
  set_config('idle_in_transaction_session_timeout', '10s', true)`;

const ERRORS: OwnErrors = {
  unavailable: (message, cause) => new AccessError(message, { cause }),
  // Counts are then written again, and may (rarely) be counted twice.
  inDoubt: (message, cause) =>
    new AccessError(
      `${message}; it is unknown whether the last change was made; check before you repeat it`,
      { cause },
    ),
  undone: (message) => new AccessError(message),
};

export class PostgresDatabase implements Database, Versioned {
  readonly shown: string;
  readonly creating = createTable;
  readonly #schema: string;
  /** The table with the version of these tables. */
  readonly #format: string;
  readonly #session: PostgresSession;
  #created: Promise<void> | undefined;

  constructor(
    target: PostgresTarget,
    readonly tables: Pick<AccessTables, "tables" | "rows"> & { name?: string } = SHARED_TABLES,
    private readonly isReadOnly = false,
  ) {
    this.shown = target.shown;
    this.#schema = target.schema;
    this.#format = tables.name === undefined ? "format" : `${tables.name}_format`;
    // Shards in this database use the same connections.
    const place = { ...target, pool: OTHER_CONNECTIONS };
    this.#session = new PostgresSession(place, PATIENCE, ERRORS, {}, true);
  }

  async exists(): Promise<boolean> {
    return (await this.version(this.#session)) > 0;
  }

  /** Creates the tables: once; retried after a failure. */
  #open(): Promise<void> {
    const transaction = <T>(work: (connection: Connection) => Promise<T>) =>
      this.#session.transaction("READ COMMITTED", work);
    this.#created ??= createTables(this, this.#session, transaction).catch((error) => {
      this.#created = undefined;
      throw error;
    });
    return this.#created;
  }

  async rows<Row>(sql: string, values?: readonly unknown[]): Promise<Row[]> {
    if (this.isReadOnly && !(await this.exists())) return [];
    await this.#open();
    return this.#session.rows<Row>(sql, values);
  }

  async run(sql: string, values?: readonly unknown[]): Promise<number> {
    await this.#open();
    return this.#session.run(sql, values);
  }

  async transaction<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    await this.#open();
    return this.#session.transaction("READ COMMITTED", async (connection) => {
      await connection.rows(LET_OTHERS_CONTINUE);
      return work(connection);
    });
  }

  /** This also serialises changes of keys. */
  async markKeysChanged(connection: Connection): Promise<void> {
    await connection.run("UPDATE {changes} SET version = version + 1");
  }

  async keysVersion(): Promise<string | undefined> {
    const [row] = await this.rows<{ version: string }>(
      "SELECT version::text AS version FROM {changes}",
    );
    return row?.version;
  }

  async version(connection: Connection): Promise<number> {
    // Reads the catalogue directly: to_regclass() may use a cache from before the lock was
    // acquired.
    const found = await connection.rows(
      `SELECT 1 FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
       WHERE nspname = $1 AND relname = $2`,
      [this.#schema, this.#format],
    );
    if (found.length === 0) return 0;
    const [row] = await connection.rows<{ version: number }>(
      `SELECT version FROM {${this.#format}}`,
    );
    return row?.version ?? 0;
  }

  async setVersion(connection: Connection, version: number): Promise<void> {
    await connection.run(`DELETE FROM {${this.#format}}`);
    await connection.run(`INSERT INTO {${this.#format}} VALUES ($1)`, [version]);
  }

  async beginCreation(connection: Connection): Promise<void> {
    const name = `matchbook ${this.#schema}`;
    await connection.rows("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", [name]);
    // Checked first: a user of an existing schema may lack the privilege to create one.
    const schemas = await connection.rows("SELECT 1 FROM pg_namespace WHERE nspname = $1", [
      this.#schema,
    ]);
    if (schemas.length === 0) await connection.run(`CREATE SCHEMA ${quoted(this.#schema)}`);
    await connection.run(`CREATE TABLE IF NOT EXISTS {${this.#format}} (version integer NOT NULL)`);
  }

  close(): Promise<void> {
    return this.#session.close();
  }
}
