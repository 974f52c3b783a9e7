/**
 * Keys or usage in a SQLite file: one connection, on the calling thread. That thread never waits
 * for a locked file: the statement is retried later, and requests continue meanwhile.
 */

import { SQLiteError, type SQLQueryBindings, Database as Sqlite } from "bun:sqlite";
import { closeSync, mkdirSync, openSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { openUnchanged } from "../../sqlite/open-unchanged.ts";
import {
  AccessError,
  type Connection,
  type Database,
  knownVersion,
  type Migrations,
  migrate,
  type Versioned,
} from "../key-database.ts";
import type { SqliteFile } from "./schema.ts";

const RETRY_MS = 20;
/** How long statements on a locked file are retried. */
const PATIENCE_MS = 10_000;

/** The opened file. Another one may replace it, e.g. a restored backup. */
interface Opened {
  inode: bigint;
  sqlite: Sqlite;
  connection: Connection;
}

export class SqliteDatabase implements Database, Versioned {
  readonly shown: string;
  readonly migrations: Migrations;
  readonly #file: SqliteFile;
  #opened: Opened | undefined;
  /** Serialises use of the connection. */
  #queue: Promise<unknown> = Promise.resolve();
  #keyChanges = 0;

  /** `isReadOnly` is for commands that must not change the file, e.g. a backup. */
  constructor(
    path: string,
    file: SqliteFile,
    private readonly isReadOnly = false,
  ) {
    this.shown = path;
    this.migrations = file.migrations;
    this.#file = file;
  }

  /** Throws if the folder cannot be read. */
  async exists(): Promise<boolean> {
    const found = statSync(this.shown, { throwIfNoEntry: false });
    // An empty file is what a process leaves that was killed before it created the tables.
    return found !== undefined && !(this.isReadOnly && found.size === 0);
  }

  open(): Promise<void> {
    return this.#inTurn(async () => {});
  }

  rows<Row>(sql: string, values: readonly unknown[] = []): Promise<Row[]> {
    return this.#inTurn(({ connection }) => connection.rows<Row>(sql, values));
  }

  run(sql: string, values: readonly unknown[] = []): Promise<number> {
    return this.#inTurn(({ connection }) => connection.run(sql, values));
  }

  transaction<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    return this.#inTurn((opened) => inTransaction(opened, work));
  }

  async markKeysChanged(): Promise<void> {
    this.#keyChanges += 1;
  }

  async keysVersion(): Promise<string | undefined> {
    if (!(await this.exists())) return undefined;
    return this.#inTurn(async ({ inode, connection }) => {
      // data_version changes when another connection commits; own changes are counted here.
      const [row] = await connection.rows<{ data_version: number }>("PRAGMA data_version");
      return `${inode} ${row!.data_version} ${this.#keyChanges}`;
    });
  }

  async version(connection: Connection): Promise<number> {
    const [row] = await connection.rows<{ user_version: number }>("PRAGMA user_version");
    return row!.user_version;
  }

  async setVersion(connection: Connection, version: number): Promise<void> {
    await connection.run(`PRAGMA user_version = ${version}`);
  }

  /** Write transactions are exclusive. */
  async beginMigration(): Promise<void> {}

  close(): Promise<void> {
    const closed = this.#queue.then(() => this.#closeFile());
    this.#queue = closed;
    return closed;
  }

  /** While the file is locked, other work of this process continues. */
  async #inTurn<T>(work: (opened: Opened) => Promise<T>): Promise<T> {
    const until = performance.now() + PATIENCE_MS;
    for (;;) {
      const turn = this.#queue.then(async () => work(await this.#openFile()));
      this.#queue = turn.catch(() => {});
      try {
        return await turn;
      } catch (error) {
        if (!(error instanceof SQLiteError)) throw error;
        if (!error.code?.startsWith("SQLITE_BUSY") || performance.now() > until) {
          // SQLite's message does not name the file.
          const message = `cannot use ${this.shown}: ${error.message}`;
          throw new AccessError(message, { cause: error });
        }
        await Bun.sleep(RETRY_MS);
      }
    }
  }

  async #openFile(): Promise<Opened> {
    if (this.#opened && this.#opened.inode === this.#inode()) return this.#opened;
    this.#closeFile();
    if (this.isReadOnly) return this.#openReadOnly();
    createFile(this.shown);
    const sqlite = new Sqlite(this.shown, { readwrite: true, create: false, strict: true });
    const opened = { inode: this.#inode()!, sqlite, connection: connectionOf(sqlite) };
    try {
      sqlite.run("PRAGMA busy_timeout = 0");
      sqlite.run("PRAGMA journal_mode = WAL");
      sqlite.run(`PRAGMA synchronous = ${this.#file.synchronous}`);
      await migrate(this, opened.connection, (work) => inTransaction(opened, work));
    } catch (error) {
      sqlite.close();
      throw error;
    }
    this.#opened = opened;
    return opened;
  }

  /** Reads older formats as they are. */
  async #openReadOnly(): Promise<Opened> {
    const inode = this.#inode()!;
    const sqlite = openUnchanged(this.shown);
    const connection = connectionOf(sqlite);
    try {
      sqlite.run("PRAGMA busy_timeout = 0");
      const version = await knownVersion(this, connection);
      for (const view of this.#file.substitutes.get(version) ?? []) sqlite.run(view);
      sqlite.run("PRAGMA query_only = ON");
    } catch (error) {
      sqlite.close();
      throw error;
    }
    this.#opened = { inode, sqlite, connection };
    return this.#opened;
  }

  #closeFile(): void {
    this.#opened?.sqlite.close();
    this.#opened = undefined;
  }

  #inode(): bigint | undefined {
    return statSync(this.shown, { bigint: true, throwIfNoEntry: false })?.ino;
  }
}

/** Creates missing folders and files, readable by their owner only. */
function createFile(path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  try {
    // Before SQLite opens it: the WAL gets the mode of the main file.
    closeSync(openSync(path, "wx", 0o600));
  } catch (error) {
    // An existing file must not be opened here: closing it would release the locks that SQLite
    // holds in this process, and other programs could delete the WAL in use.
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}

async function inTransaction<T>(
  { sqlite, connection }: Opened,
  work: (connection: Connection) => Promise<T>,
): Promise<T> {
  sqlite.run("BEGIN IMMEDIATE");
  try {
    const result = await work(connection);
    sqlite.run("COMMIT");
    return result;
  } catch (error) {
    if (sqlite.inTransaction) sqlite.run("ROLLBACK");
    throw error;
  }
}

function connectionOf(sqlite: Sqlite): Connection {
  const statement = <Row>(sql: string) =>
    sqlite.query<Row, SQLQueryBindings[]>(sql.replaceAll(/\{(\w+)\}/g, "$1").replaceAll("$", "?"));
  return {
    rows: async <Row>(sql: string, values: readonly unknown[] = []) =>
      statement<Row>(sql).all(...(values as SQLQueryBindings[])),
    run: async (sql, values = []) => statement(sql).run(...(values as SQLQueryBindings[])).changes,
  };
}
