/** The files of a repair. */

import type { Database } from "bun:sqlite";
import { chmodSync, chownSync, rmSync, statSync, writeFileSync } from "node:fs";
import type { ReadableState, ShardRepair } from "../repair.ts";
import { StoreError, type Writer } from "../store.ts";
import { storedColumns, type TableShape } from "../table.ts";
import { DOCUMENTS, RECORDS } from "../tables.ts";
import { LockedFile } from "./locked-file.ts";
import { completeFile, openNewFile } from "./new-file.ts";
import { openForWriting } from "./open.ts";
import { SqliteWriter } from "./writer.ts";

export class RepairFile implements ShardRepair {
  readonly #newName: string;
  readonly #locked: LockedFile;
  readonly #reader: Database;
  #writer: SqliteWriter | undefined;

  /** Waits for writers, and then keeps them waiting. Throws StoreError. */
  constructor(
    private readonly shard: string,
    path: string,
  ) {
    this.#locked = new LockedFile(path);
    this.#newName = `${this.#locked.path}.repair`;
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
      copy.run("ATTACH ? AS damaged", [this.#locked.path]);
      for (const table of [RECORDS, DOCUMENTS]) copyStored(copy, table);
      copy.run("DETACH damaged");
      return await damaged.survey((state) => unindexed.survey((other) => work(state, other)));
    } finally {
      // With its statements: otherwise the file would stay open, and its WAL beside it.
      damaged.close();
      unindexed.close();
      remove(this.#copyName);
    }
  }

  open(): Writer {
    remove(this.#newName);
    const { mode, uid, gid } = statSync(this.#locked.path);
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

  keptName(stamp: string): string {
    return this.#locked.nameAfter(`.damaged-${stamp}`);
  }

  swap(kept: string): void {
    this.#locked.replaceWith(this.#newName, kept);
  }

  close(): void {
    this.#writer?.close();
    remove(this.#newName);
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

const ROWS = 1000;

/** Copies the rows that can be read. If some of them cannot, they are read one by one. */
function copyStored(copy: Database, table: TableShape): void {
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
  const highest = highestRow(copy, table);
  for (let first = 1; first <= highest; first += ROWS) {
    if (tryCopy(first, first + ROWS - 1)) continue;
    for (let row = first; row < first + ROWS; row++) tryCopy(row, row);
  }
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
