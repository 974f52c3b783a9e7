/** The files of a repair. */

import { Database } from "bun:sqlite";
import { chmodSync, chownSync, rmSync, statSync, writeFileSync } from "node:fs";
import type { ReadableState, ShardRepair } from "../repair.ts";
import { StoreError, type Writer } from "../store.ts";
import { LockedFile } from "./locked-file.ts";
import { completeFile, openNewFile } from "./new-file.ts";
import { copyRaw } from "./raw-copy.ts";
import { SqliteWriter } from "./writer.ts";

export class RepairFile implements ShardRepair {
  readonly newName: string;
  readonly #locked: LockedFile;
  readonly #reader: Database;
  #writer: SqliteWriter | undefined;

  /** Waits for writers, and then keeps them waiting. Throws StoreError. */
  constructor(
    private readonly shard: string,
    path: string,
  ) {
    this.#locked = new LockedFile(path);
    this.newName = `${this.#locked.path}.repair`;
    const { reader } = this.#locked;
    if (!reader) {
      this.#locked.close();
      throw new StoreError(`${path} cannot be read any more: restore the shard from a backup`);
    }
    this.#reader = reader;
  }

  get isWalCut(): boolean {
    return this.#locked.isWalCut;
  }

  /** Without indexes: from a copy in which they were made again, as far as their tables can be read. */
  async survey<T>(
    work: (state: ReadableState, unindexed: ReadableState) => Promise<T>,
  ): Promise<T> {
    const path = this.#copyName;
    await copyRaw(this.#reader, path);
    const copy = new Database(path, { readwrite: true, create: false });
    const damaged = new SqliteWriter(this.#reader);
    const reindexed = new SqliteWriter(copy);
    try {
      reindex(copy);
      return await damaged.survey((state) =>
        reindexed.survey((unindexed) => work(state, unindexed)),
      );
    } finally {
      reindexed.close();
      remove(path);
    }
  }

  open(): Writer {
    remove(this.newName);
    const { mode, uid, gid } = statSync(this.#locked.path);
    // With the rights of the damaged file from the beginning: it has personal data.
    writeFileSync(this.newName, "", { mode: 0o600 });
    chmodSync(this.newName, mode & 0o777);
    const made = statSync(this.newName);
    if (made.uid !== uid || made.gid !== gid) chownSync(this.newName, uid, gid);
    this.#writer = openNewFile(this.shard, this.newName);
    return this.#writer;
  }

  complete(): void {
    this.#writer?.close();
    this.#writer = undefined;
    completeFile(this.shard, this.newName);
  }

  keptName(stamp: string): string {
    return this.#locked.nameAfter(`.damaged-${stamp}`);
  }

  swap(kept: string): void {
    this.#locked.replaceWith(this.newName, kept);
  }

  close(): void {
    this.#writer?.close();
    remove(this.newName);
    remove(this.#copyName);
    this.#locked.close();
  }

  get #copyName(): string {
    return `${this.#locked.path}.repair-copy`;
  }
}

function remove(path: string): void {
  for (const end of ["", "-wal", "-shm"]) rmSync(`${path}${end}`, { force: true });
}

function reindex(copy: Database): void {
  const indexes = copy
    .query<{ name: string }, []>("SELECT name FROM sqlite_schema WHERE type = 'index'")
    .all();
  for (const { name } of indexes) {
    try {
      copy.run(`REINDEX "${name}"`);
    } catch {
      // Its table cannot be read completely: the index stays as it is.
    }
  }
}
