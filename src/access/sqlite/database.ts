/**
 * Keys or usage in a SQLite file: one connection, on the calling thread. That thread never waits
 * for a locked file: the statement is retried later, and requests continue meanwhile.
 */

import { SQLiteError, type SQLQueryBindings, Database as Sqlite } from "bun:sqlite";
import { type BigIntStats, statSync } from "node:fs";
import { createFile } from "../../durable-files.ts";
import { createTable } from "../../sqlite/create.ts";
import { openImmutable, openUnchanged } from "../../sqlite/open-unchanged.ts";
import {
  AccessError,
  type Connection,
  createTables,
  type Database,
  FORMAT,
  knownVersion,
  type Versioned,
} from "../key-database.ts";
import type { AccessTables } from "../tables.ts";

const RETRY_MS = 20;
/** How long statements on a locked file are retried. */
const PATIENCE_MS = 10_000;

/** The opened file. Another one may replace it, e.g. a restored backup. */
interface Opened {
  inode: bigint;
  isReadOnly: boolean;
  sqlite: Sqlite;
  connection: Connection;
}

export class SqliteDatabase implements Database, Versioned {
  readonly creating = createTable;
  #opened: Opened | undefined;
  #wasOpened = false;
  /** Serialises use of the connection. */
  #queue: Promise<unknown> = Promise.resolve();
  #keyChanges = 0;

  /** `isReadOnly` is for commands that must not change the file, e.g. a backup. */
  constructor(
    /** The path of the file. */
    readonly shown: string,
    readonly tables: AccessTables,
    private readonly isReadOnly = false,
  ) {}

  /** Throws if the folder cannot be read. */
  async exists(): Promise<boolean> {
    const found = this.#found();
    if (!found || !this.isReadOnly) return found !== undefined;
    // There are no tables if a process was killed, or the power was cut, before it created them.
    if (found.size === 0n) return false;
    return this.#inTurn(async ({ connection }) => (await this.version(connection)) > 0);
  }

  async rows<Row>(sql: string, values: readonly unknown[] = []): Promise<Row[]> {
    if (this.isReadOnly && !(await this.exists())) return [];
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
    const found = this.#found();
    if (!found && !this.#wasOpened) return undefined;
    // Not opened, which would write to it: a backup may be being copied there.
    if (found?.size === 0n)
      throw new AccessError(
        `cannot use ${this.shown}: it is empty; ${this.tables.ifDamaged}, or delete it if there were no keys`,
      );
    return this.#inTurn(async ({ inode, connection, isReadOnly }) => {
      if (isReadOnly) return `${inode} ${found!.mtimeNs}`;
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
  async beginCreation(): Promise<void> {}

  close(): Promise<void> {
    const closed = this.#queue.then(() => this.#closeFile());
    this.#queue = closed;
    return closed;
  }

  /** While the file is locked, other work of this process continues. */
  async #inTurn<T>(work: (opened: Opened) => Promise<T>): Promise<T> {
    const until = performance.now() + PATIENCE_MS;
    for (;;) {
      const turn = this.#queue.then(() => this.#use(work));
      this.#queue = turn.catch(() => {});
      try {
        return await turn;
      } catch (error) {
        if (!hasCode(error, /^SQLITE_BUSY/) || performance.now() > until)
          throw this.#asAccessError(error);
        await Bun.sleep(RETRY_MS);
      }
    }
  }

  async #use<T>(work: (opened: Opened) => Promise<T>): Promise<T> {
    let opened: Opened;
    try {
      opened = await this.#openFile();
    } catch (error) {
      return this.#readUnwritable(error, work);
    }
    try {
      return await work(opened);
    } catch (error) {
      // It was opened when it could not be written. Perhaps it can be now.
      if (hasCode(error, /^SQLITE_READONLY/)) this.#closeFile();
      throw error;
    }
  }

  /**
   * On a full or read-only disk, SQLite cannot create the files that its connections share. The file can still be
   * read, unless there are changes in the WAL. It is opened for each use: such a connection notices no changes.
   */
  async #readUnwritable<T>(error: unknown, work: (opened: Opened) => Promise<T>): Promise<T> {
    if (!hasCode(error, UNWRITABLE)) throw error;
    const found = this.#found();
    const wal = statSync(`${this.shown}-wal`, { throwIfNoEntry: false });
    if (!found?.isFile() || wal?.size) throw error;
    const sqlite = openImmutable(this.shown);
    try {
      const connection = connectionOf(sqlite);
      if ((await this.version(connection)) !== FORMAT) throw error;
      this.#wasOpened = true;
      return await work({ inode: found.ino, isReadOnly: true, sqlite, connection });
    } catch (thrown) {
      // A change: the first error says why it is not possible.
      throw hasCode(thrown, /^SQLITE_READONLY/) ? error : thrown;
    } finally {
      sqlite.close();
    }
  }

  async #openFile(): Promise<Opened> {
    const inode = this.#wasOpened ? this.#found()?.ino : undefined;
    if (this.#opened && this.#opened.inode === inode) return this.#opened;
    if (inode === undefined && this.#wasOpened && !this.tables.isReplaceable) {
      throw new AccessError(`${this.shown} was deleted; restore it from a backup`);
    }
    this.#closeFile();
    const { shown, isReadOnly } = this;
    if (!isReadOnly) createFile(shown);
    // Before it is opened: if another one replaces it meanwhile, the next use notices.
    const inodeNow = this.#found()!.ino;
    const sqlite = isReadOnly
      ? openUnchanged(shown)
      : new Sqlite(shown, { readwrite: true, create: false, strict: true });
    const opened = { inode: inodeNow, isReadOnly, sqlite, connection: connectionOf(sqlite) };
    try {
      sqlite.run("PRAGMA busy_timeout = 0");
      if (isReadOnly) {
        await knownVersion(this, opened.connection);
        sqlite.run("PRAGMA query_only = ON");
      } else {
        sqlite.run("PRAGMA journal_mode = WAL");
        sqlite.run(`PRAGMA synchronous = ${this.tables.synchronous}`);
        await createTables(this, opened.connection, (work) => inTransaction(opened, work));
      }
    } catch (error) {
      sqlite.close();
      throw error;
    }
    this.#opened = opened;
    this.#wasOpened = true;
    return opened;
  }

  #closeFile(): void {
    this.#opened?.sqlite.close();
    this.#opened = undefined;
  }

  #found(): BigIntStats | undefined {
    return statSync(this.shown, { bigint: true, throwIfNoEntry: false });
  }

  /** Messages of SQLite do not name the file. Errors of callers are returned as they are. */
  #asAccessError(error: unknown): unknown {
    if (error instanceof SQLiteError) {
      const fault = faultOf(error, this.tables);
      return new AccessError(`cannot use ${this.shown}: ${fault}`, { cause: error });
    }
    const { path, message } = error as { path?: unknown; message?: string };
    if (typeof path !== "string") return error;
    return new AccessError(`cannot use ${path}: ${message}`, { cause: error });
  }
}

/** What is wrong and what to do, by the code, which may have a suffix; otherwise the message of SQLite. */
function faultOf({ code = "", message }: SQLiteError, { ifDamaged }: AccessTables): string {
  if (code.startsWith("SQLITE_NOTADB")) return `it is not an SQLite file; ${ifDamaged}`;
  if (code.startsWith("SQLITE_CORRUPT")) return `it is damaged; ${ifDamaged}`;
  if (code.startsWith("SQLITE_IOERR_SHMSIZE")) return "the disk is full; free some space and retry";
  if (code.startsWith("SQLITE_CANTOPEN"))
    return "it cannot be opened; check its owner and mode, and that the disk can be written";
  return message;
}

const UNWRITABLE = /^SQLITE_(CANTOPEN|READONLY|FULL|IOERR_SHM)/;

const hasCode = (error: unknown, code: RegExp): boolean =>
  error instanceof SQLiteError && code.test(error.code ?? "");

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
