/** The files of a repair: the damaged one, which nobody else can write to until it is replaced or closed, and the new one. */

import { Database, SQLiteError } from "bun:sqlite";
import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { syncFolder } from "../../durable-files.ts";
import type { ReadableState, ShardRepair } from "../repair.ts";
import { StoreError, StoreRefuses, type Writer } from "../store.ts";
import { storedColumns, type TableShape } from "../table.ts";
import { DOCUMENTS, RECORDS } from "../tables.ts";
import { lostCommits } from "./lost-commits.ts";
import { completeFile, openNewFile } from "./new-file.ts";
import { asStoreError, openForWriting } from "./open.ts";
import { SqliteWriter } from "./writer.ts";

/** How long to wait for writers, each batch of which is short, and for readers of the WAL. */
const WRITER_PATIENCE_MS = 5_000;
const READER_PATIENCE_MS = 1_000;
/** How often the WAL is emptied again because somebody wrote in between. */
const ATTEMPTS = 3;

export class RepairFile implements ShardRepair {
  /** Without symbolic links: SQLite puts its other files beside the real one. */
  readonly #path: string;
  /** Whether the end of its WAL is damaged, or was never committed: SQLite drops it without a word. */
  readonly isWalCut: boolean;
  readonly #lock: Database;
  /** For reads, because damage can end the transaction of the lock. */
  readonly #reader: Database;
  readonly #newName: string;
  readonly #copyName: string;
  #writer: SqliteWriter | undefined;

  /** Waits for writers, and then keeps them waiting. Throws StoreError. */
  constructor(
    private readonly shard: string,
    path: string,
  ) {
    this.#path = realpathSync(path);
    this.#newName = `${this.#path}.repair`;
    this.#copyName = `${this.#path}.repair-copy`;
    this.#undoSwap();
    this.isWalCut = lostCommits(`${this.#path}-wal`) > 0;
    this.#lock = this.#takeLock();
    this.#reader = new Database(this.#path, { readonly: true });
  }

  /** Without indexes: the records in the order in which they are stored, in a file of their own. */
  async survey<T>(
    work: (state: ReadableState, unindexed: ReadableState) => Promise<T>,
  ): Promise<T> {
    remove(this.#copyName);
    const copy = openForWriting(this.#copyName, this.shard);
    copy.run("PRAGMA journal_mode = MEMORY");
    copy.run("PRAGMA synchronous = OFF");
    const unindexed = new SqliteWriter(copy);
    const damaged = new SqliteWriter(this.#reader);
    try {
      copy.run("ATTACH ? AS damaged", [this.#path]);
      for (const table of [RECORDS, DOCUMENTS]) this.#copyStored(copy, table);
      copy.run("DETACH damaged");
      return await damaged.survey((state) => unindexed.survey((other) => work(state, other)));
    } finally {
      // With its statements: otherwise the file would stay open, and its WAL beside it.
      damaged.close();
      unindexed.close();
      remove(this.#copyName);
    }
  }

  #copyStored(copy: Database, table: TableShape): void {
    try {
      // Row numbers are counted up, and every row takes some bytes. A damaged number may be any.
      copyStored(copy, table, statSync(this.#path).size + this.#walBytes);
    } catch (error) {
      // Rows that cannot be read are left out: this is about the schema.
      throw this.#asUnreadable(error);
    }
  }

  /** If SQLite does not know the tables any more. */
  #asUnreadable(error: unknown): unknown {
    const { code = "" } = error instanceof SQLiteError ? error : {};
    if (!/^SQLITE_(CORRUPT|NOTADB|ERROR)/.test(code)) return error;
    return new StoreError(`${this.#path} cannot be read any more: restore the shard from a backup`);
  }

  open(): Writer {
    remove(this.#newName);
    const { mode, uid, gid } = statSync(this.#path);
    // With the rights of the damaged file from the beginning: it has personal data.
    writeFileSync(this.#newName, "", { mode: 0o600 });
    chmodSync(this.#newName, mode & 0o777);
    const made = statSync(this.#newName);
    if (made.uid !== uid || made.gid !== gid) chownSync(this.#newName, uid, gid);
    this.#writer = openNewFile(this.shard, this.#newName);
    return this.#writer;
  }

  complete(): void {
    this.#writer?.close();
    this.#writer = undefined;
    completeFile(this.shard, this.#newName);
  }

  /** A free name for the damaged file, or the one that it got from a process that was killed in between. */
  keptName(stamp: string): string {
    const before = this.#keptBefore();
    if (before) return before;
    for (let count = 1; ; count++) {
      const name = `${this.#path}.damaged-${stamp}${count === 1 ? "" : `-${count}`}`;
      if (!existsSync(name)) return name;
    }
  }

  /**
   * A running server opens the new file within a second; it must not find the WAL of the damaged one beside it. Each step is on the disk before the next, so that
   * a power failure leaves what a killed process leaves.
   */
  swap(kept: string): void {
    const folder = dirname(this.#path);
    if (!existsSync(kept)) linkSync(this.#path, kept);
    syncFolder(folder);
    // In one step: of two names, a killed process would leave both, and the second would outlive the WAL itself.
    if (this.#walBytes > 0) renameSync(`${this.#path}-wal`, `${kept}-wal`);
    for (const companion of ["-wal", "-shm"]) rmSync(`${this.#path}${companion}`, { force: true });
    syncFolder(folder);
    renameSync(this.#newName, this.#path);
    syncFolder(folder);
  }

  close(): void {
    this.#writer?.close();
    remove(this.#newName);
    remove(this.#copyName);
    this.#reader.close();
    this.#lock.close();
  }

  /**
   * Empties the WAL first, if SQLite can and readers allow it: then a process that is killed while it swaps the files
   * leaves everything that was committed where it was.
   */
  #takeLock(): Database {
    const database = new Database(this.#path, { readwrite: true, create: false });
    try {
      for (let attempt = 1; ; attempt++) {
        database.run(`PRAGMA busy_timeout = ${READER_PATIENCE_MS}`);
        const canEmpty = emptyWal(database);
        database.run(`PRAGMA busy_timeout = ${WRITER_PATIENCE_MS}`);
        database.run("BEGIN IMMEDIATE");
        if (!canEmpty || this.#walBytes === 0 || attempt === ATTEMPTS) return database;
        database.run("ROLLBACK");
      }
    } catch (error) {
      database.close();
      const { code = "" } = error instanceof SQLiteError ? error : {};
      if (!code.startsWith("SQLITE_BUSY"))
        throw asStoreError(this.#asUnreadable(error), this.#path);
      throw new StoreRefuses(
        `${this.#path} is locked: another program is writing to it; stop it, or retry when it is done`,
      );
    }
  }

  get #walBytes(): number {
    return statSync(`${this.#path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  }

  /** The other name of this file, if a process was killed between the steps of the swap. */
  #keptBefore(): string | undefined {
    const { ino } = statSync(this.#path);
    const start = `${basename(this.#path)}.damaged-`;
    const folder = dirname(this.#path);
    return readdirSync(folder)
      .filter((name) => name.startsWith(start) && !name.endsWith("-wal"))
      .map((name) => join(folder, name))
      .find((other) => statSync(other).ino === ino);
  }

  /** Brings back the WAL that belongs to the file. */
  #undoSwap(): void {
    const kept = this.#keptBefore();
    const wal = `${this.#path}-wal`;
    if (kept && existsSync(`${kept}-wal`) && !existsSync(wal)) renameSync(`${kept}-wal`, wal);
  }
}

/** False if SQLite cannot, because the file is damaged. */
function emptyWal(database: Database): boolean {
  try {
    database.query("PRAGMA wal_checkpoint(TRUNCATE)").get();
    return true;
  } catch (error) {
    if (error instanceof SQLiteError && error.code?.startsWith("SQLITE_CORRUPT")) return false;
    throw error;
  }
}

function remove(path: string): void {
  for (const end of ["", "-wal", "-shm"]) rmSync(`${path}${end}`, { force: true });
}

const ROWS = 1000;

/**
 * Copies the rows that can be read. Where some of a thousand cannot, they are read one by one, if their numbers are
 * `plausible`.
 */
function copyStored(copy: Database, table: TableShape, plausible: number): void {
  const columns = storedColumns(table).join(", ");
  const insert = copy.prepare(
    `INSERT OR IGNORE INTO main.${table.name} (${columns})
     SELECT ${columns} FROM damaged.${table.name} NOT INDEXED WHERE rowid BETWEEN ? AND ?`,
  );
  const tryCopy = (first: number, last: number): boolean => {
    try {
      insert.run(first, last);
      return true;
    } catch {
      return false;
    }
  };
  const highest = Math.min(highestRow(copy, table), plausible);
  for (let first = 1; first <= highest; first += ROWS) {
    if (tryCopy(first, first + ROWS - 1)) continue;
    for (let row = first; row < first + ROWS; row++) tryCopy(row, row);
  }
  tryCopy(highest + 1, Number.MAX_SAFE_INTEGER);
  insert.finalize();
}

/** The last page may be damaged: then the index by key knows. */
function highestRow(copy: Database, { name, key }: TableShape): number {
  let highest = 0;
  for (const source of [
    `damaged.${name} NOT INDEXED`,
    `(SELECT rowid FROM damaged.${name} ORDER BY ${key.join(", ")})`,
  ]) {
    try {
      const row = copy.query<{ row: number | null }, []>(`SELECT max(rowid) AS row FROM ${source}`);
      highest = Math.max(highest, row.get()?.row ?? 0);
    } catch {
      // The other one may be readable.
    }
  }
  return highest;
}
