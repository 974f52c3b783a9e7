/** A shard's file that nobody else can write to, until it is replaced or closed. */

import { Database, SQLiteError } from "bun:sqlite";
import {
  existsSync,
  linkSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { syncFolder } from "../../durable-files.ts";
import { StoreRefuses } from "../store.ts";
import { isWalCut } from "./lost-commits.ts";
import { asStoreError } from "./open.ts";

/** How long to wait for writers, each batch of which is short, and for readers of the WAL. */
const WRITER_PATIENCE_MS = 5_000;
const READER_PATIENCE_MS = 1_000;
/** How often the WAL is emptied again because somebody wrote in between. */
const ATTEMPTS = 3;

export class LockedFile {
  /** Without symbolic links: SQLite puts its other files beside the real one. */
  readonly path: string;
  /** Whether the end of its WAL is damaged, or was never committed: SQLite drops it without a word. */
  readonly isWalCut: boolean;
  /** Undefined if SQLite cannot open the file, so that nobody can write to it either. */
  readonly #lock: Database | undefined;
  /** For reads, because damage can end the transaction of the lock. Undefined under the same condition. */
  readonly reader: Database | undefined;

  /** Throws StoreRefuses if another program is writing. */
  constructor(path: string) {
    this.path = realpathSync(path);
    this.#undoSwap();
    this.isWalCut = isWalCut(`${this.path}-wal`);
    this.#lock = this.#takeLock();
    this.reader = this.#lock && new Database(this.path, { readonly: true });
  }

  /** A free name for this file, once it is replaced. */
  nameAfter(suffix: string): string {
    const before = this.#keptBefore();
    if (before) return before;
    for (let count = 1; ; count++) {
      const name = `${this.path}${suffix}${count === 1 ? "" : `-${count}`}`;
      if (!existsSync(name)) return name;
    }
  }

  /**
   * Puts another file in its place, and keeps this one under a name of nameAfter(). A running server opens the new file
   * within a second; it must not find the WAL of this one beside it. Each step is on the disk before the next, so that
   * a power failure leaves what a killed process leaves.
   */
  replaceWith(newFile: string, kept: string): void {
    const folder = dirname(this.path);
    if (!existsSync(kept)) linkSync(this.path, kept);
    syncFolder(folder);
    // In one step: of two names, a killed process would leave both, and the second would outlive the WAL itself.
    if (this.#walBytes > 0) renameSync(`${this.path}-wal`, `${kept}-wal`);
    for (const companion of ["-wal", "-shm"]) rmSync(`${this.path}${companion}`, { force: true });
    syncFolder(folder);
    renameSync(newFile, this.path);
    syncFolder(folder);
  }

  close(): void {
    this.reader?.close();
    this.#lock?.close();
  }

  /**
   * Empties the WAL first, if SQLite can and readers allow it: then a process that is killed while it swaps the files
   * leaves everything that was committed where it was.
   */
  #takeLock(): Database | undefined {
    const database = new Database(this.path, { readwrite: true, create: false });
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
      if (/^SQLITE_(CORRUPT|NOTADB)/.test(code)) return undefined;
      if (!code.startsWith("SQLITE_BUSY")) throw asStoreError(error, this.path);
      throw new StoreRefuses(
        `${this.path} is locked: another program is writing to it; stop it, or retry when it is done`,
      );
    }
  }

  get #walBytes(): number {
    return statSync(`${this.path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  }

  /** The other name of this file, if a process was killed between the steps of the swap. */
  #keptBefore(): string | undefined {
    const { ino } = statSync(this.path);
    const start = `${basename(this.path)}.damaged-`;
    const folder = dirname(this.path);
    return readdirSync(folder)
      .filter((name) => name.startsWith(start) && !name.endsWith("-wal"))
      .map((name) => join(folder, name))
      .find((other) => statSync(other).ino === ino);
  }

  /** Brings back the WAL that belongs to the file. */
  #undoSwap(): void {
    const kept = this.#keptBefore();
    const wal = `${this.path}-wal`;
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
