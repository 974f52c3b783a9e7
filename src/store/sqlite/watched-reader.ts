/**
 * The reader of a shard's file, whatever happens to the file: one that cannot be opened is tried again, and one that
 * is replaced is opened again.
 */

import type { Database } from "bun:sqlite";
import { closeSync, lstatSync, openSync, readSync } from "node:fs";
import { openImmutable } from "../../sqlite/open-unchanged.ts";
import type { DamageMarker } from "../damage-marker.ts";
import {
  type DamagedData,
  type DamagedShard,
  type Fragment,
  OtherOwner,
  StoreError,
  StoreReplaced,
} from "../store.ts";
import { someRecords } from "./matches.ts";
import { NotAShard } from "./open.ts";
import { damageMarkerOf, fileStats, markedFile, OpenedFile } from "./opened-file.ts";
import type { SqliteReader } from "./reader.ts";
import { APPLICATION_ID } from "./schema.ts";

/** How often the file is looked at, at most. */
const LOOK_MS = 1000;
/** How often a file that cannot be opened, and does not change, is tried again. */
const RETRY_MS = 5000;
/** By then no request uses the reader of a replaced file. */
const RETIRE_MS = 10_000;

export class WatchedReader {
  #open: { reader: SqliteReader; file: OpenedFile } | undefined;
  #failure: { error: StoreError; retryAt: number; state: string } | undefined;
  #damage: DamagedShard | undefined;
  #nextLook = 0;
  /** The state of the file in which it had the right records. */
  #rightState = "";
  /** Whether another shard's file was written over the open one. */
  #isOverwritten = false;
  /** Whether there was another shard in the file. */
  #hadOther = false;
  readonly #marker: DamageMarker;
  readonly #retired = new Set<SqliteReader>();

  /**
   * `open` returns undefined if there is no shard in the file. `onOpen` is called with every new reader. `checkRecords`
   * throws OtherOwner if these encoded matches belong to another shard.
   */
  constructor(
    private readonly path: string,
    private readonly open: () => SqliteReader | undefined,
    private readonly onOpen: () => void,
    private readonly checkRecords: (records: Fragment[]) => void,
  ) {
    this.#marker = damageMarkerOf(path);
  }

  /** Whether there is or was a file. */
  get isKnown(): boolean {
    return this.#open !== undefined || this.#failure !== undefined;
  }

  /** Whether there is or was a shard in the file. */
  get wasOpened(): boolean {
    return this.#open !== undefined || this.#hadOther;
  }

  /**
   * Undefined if there is no file. Throws StoreError if there is no shard in it, if it cannot be read, or if the check
   * has found damage.
   */
  get(): SqliteReader | undefined {
    const now = performance.now();
    if (now >= this.#nextLook) this.#look(now);
    if (this.#failure) throw this.#failure.error;
    if (this.#damage) throw this.#damage;
    return this.#open?.reader;
  }

  /** Throws if this cannot be recorded for other processes. */
  setDamage(damage: readonly DamagedData[]): void {
    this.#nextLook = 0;
    const file = fileStats(this.path);
    if (file && damage.length > 0) this.#marker.write(markedFile(file), damage);
    else this.#marker.remove();
  }

  close(): void {
    this.#open?.reader.close();
    for (const reader of this.#retired) reader.close();
    this.#open = undefined;
    this.#retired.clear();
  }

  #look(now: number): void {
    let state = "";
    try {
      state = stateOf(this.path);
      if (this.#open && !this.#open.file.isReplaced() && !this.#holdsOther(state)) {
        this.#failure = undefined;
      } else if (!this.#failure || this.#failure.state !== state || now >= this.#failure.retryAt) {
        this.#reopen();
        this.#rightState = state;
        this.#isOverwritten = false;
      }
      const file = fileStats(this.path);
      this.#damage = file && this.#marker.read(markedFile(file));
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      if (error instanceof OtherOwner) this.#hadOther = true;
      const pause = error instanceof StoreReplaced ? 0 : RETRY_MS;
      this.#failure = { error, retryAt: now + pause, state };
    }
    // A new file is found at once.
    if (this.isKnown) this.#nextLook = now + LOOK_MS;
  }

  /**
   * Whether the open file was overwritten with that of another shard: SQLite would mix the pages of both. The file is
   * read alone, because its WAL may hide that. Whatever else is wrong with it, requests report.
   */
  #holdsOther(state: string): boolean {
    if (this.#isOverwritten || state === this.#rightState) return this.#isOverwritten;
    let database: Database | undefined;
    try {
      database = openImmutable(this.path);
      this.checkRecords(someRecords(database));
      this.#rightState = state;
    } catch (error) {
      this.#isOverwritten = error instanceof OtherOwner;
    } finally {
      database?.close();
    }
    return this.#isOverwritten;
  }

  #reopen(): void {
    const file = fileStats(this.path);
    if (!file && lstatSync(this.path, { throwIfNoEntry: false })) {
      throw new StoreError(`${this.path} is a link to a file that does not exist`);
    }
    if (!file) {
      // It is not absent while the right file is put in the place of the wrong one.
      if (this.#hadOther) {
        throw new StoreReplaced(
          `${this.path} does not exist any more; put it back or restore a backup, or restart the server to continue without it`,
        );
      }
      this.#failure = undefined;
      return;
    }
    const reader = this.#openShard(file.isDirectory());
    this.#retire();
    this.#open = { reader, file: new OpenedFile(this.path, file) };
    this.#failure = undefined;
    this.onOpen();
  }

  #openShard(isFolder: boolean): SqliteReader {
    if (isFolder) throw new NotAShard(`${this.path} is a folder, not a file; move it elsewhere`);
    try {
      const reader = this.open();
      if (reader) return reader;
    } catch (error) {
      throw isForeign(error, this.path)
        ? new NotAShard((error as Error).message, { cause: (error as Error).cause })
        : error;
    }
    throw new NotAShard(
      `${this.path} contains no shard; delete it, unless one is about to be created there`,
    );
  }

  #retire(): void {
    const reader = this.#open?.reader;
    if (!reader) return;
    this.#retired.add(reader);
    setTimeout(() => {
      if (this.#retired.delete(reader)) reader.close();
    }, RETIRE_MS).unref();
  }
}

/** Changes when the file does, or its owner or mode. */
function stateOf(path: string): string {
  const stats = fileStats(path);
  return stats ? [stats.dev, stats.ino, stats.size, stats.mtimeMs, stats.ctimeMs].join() : "";
}

/** Where an SQLite file has its application id. */
const ID_AT = 68;

/** Whether a file is neither an SQLite file nor what is left of a shard. */
function isForeign(error: unknown, path: string): boolean {
  const { cause } = error as { cause?: { code?: unknown } };
  if (cause?.code !== "SQLITE_NOTADB") return false;
  let file: number | undefined;
  try {
    // SQLite has no lock on a file that it cannot read.
    file = openSync(path, "r");
    const id = Buffer.alloc(4);
    return readSync(file, id, 0, 4, ID_AT) < 4 || id.readUInt32BE() !== APPLICATION_ID;
  } catch {
    return false;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}
