/** The files of a repair: the damaged one, the new one that is built beside it, and the swap of both. */

import type { Database } from "bun:sqlite";
import { chmodSync, chownSync, rmSync, statSync, writeFileSync } from "node:fs";
import { syncFile } from "../../durable-files.ts";
import type { ShardRepair } from "../salvage.ts";
import {
  type DamagedData,
  type OnProgress,
  OtherOwner,
  StoreError,
  type Writer,
} from "../store.ts";
import { SqliteChecker } from "./check.ts";
import { LockedFile } from "./locked-file.ts";
import { NotAShard, openForWriting, openReadOnly } from "./open.ts";
import { damageMarkerOf } from "./opened-file.ts";
import { PageFile } from "./page-file.ts";
import { SqliteSalvage } from "./salvage.ts";
import { SqliteWriter } from "./writer.ts";

const CHECKED_ROWS = 500;

/**
 * What is wrong with the file of a shard; undefined if nothing is. Stops at the first damage. Throws StoreError if it is
 * no shard, or has another format.
 */
export function damageIn(shard: string, path: string, onProgress: OnProgress): string | undefined {
  let database: Database | undefined;
  try {
    database = openReadOnly(path, shard);
  } catch (error) {
    const { cause, message } = error as StoreError;
    if (error instanceof OtherOwner) return message;
    if (error instanceof NotAShard || !(cause instanceof Error)) throw error;
    if (!/^SQLITE_(CORRUPT|NOTADB|ERROR)/.test((cause as { code?: string }).code ?? ""))
      throw error;
    return message;
  }
  if (!database) throw new NotAShard(`${path} contains no shard`);
  const checker = new SqliteChecker(database);
  try {
    const found = firstDamage(checker, onProgress);
    return found && `${found.table} ${found.record}`;
  } finally {
    checker.close();
  }
}

function firstDamage(checker: SqliteChecker, onProgress: OnProgress): DamagedData | undefined {
  for (let rows = 0; ; ) {
    const step = checker.check(CHECKED_ROWS);
    rows += step.rows;
    onProgress(rows, 0);
    if (step.damage.length > 0 || step.isLast) return step.damage[0];
  }
}

export class RepairFile implements ShardRepair {
  readonly source: SqliteSalvage;
  /** The path of the new file. */
  readonly newName: string;
  readonly #locked: LockedFile;
  readonly #pages: PageFile;
  #writer: { writer: SqliteWriter; database: Database } | undefined;

  /** Waits for writers, and then keeps them waiting. Throws StoreError. */
  constructor(
    private readonly shard: string,
    private readonly path: string,
  ) {
    this.#locked = new LockedFile(path);
    this.newName = `${this.#locked.path}.repair`;
    this.#pages = new PageFile(this.#locked.path);
    this.source = new SqliteSalvage(this.#pages, this.#locked.reader);
  }

  /** Whether the end of the WAL could not be used. */
  get isWalCut(): boolean {
    return this.#locked.isWalCut;
  }

  open(): Writer {
    this.#removeNew();
    const { mode, uid, gid } = statSync(this.#locked.path);
    // With the rights of the damaged file from the beginning: it has personal data.
    writeFileSync(this.newName, "", { mode: 0o600 });
    chmodSync(this.newName, mode & 0o777);
    const made = statSync(this.newName);
    if (made.uid !== uid || made.gid !== gid) chownSync(this.newName, uid, gid);
    const database = openForWriting(this.newName, this.shard);
    // It is written to disk once, at the end.
    database.run("PRAGMA synchronous = OFF");
    this.#writer = { writer: new SqliteWriter(database), database };
    return this.#writer.writer;
  }

  complete(onProgress: OnProgress): void {
    const { database, writer } = this.#writer!;
    // Not by closing it: SQLite keeps a connection until the last statement is collected as garbage.
    database.run("PRAGMA wal_checkpoint(TRUNCATE)");
    writer.close();
    this.#writer = undefined;
    syncFile(this.newName);
    const damage = damageIn(this.shard, this.newName, onProgress) ?? this.#unwritten();
    if (damage === undefined) return;
    throw new StoreError(
      `the repaired file is damaged too (${damage}), and is not used: check the disk and the memory of this machine`,
    );
  }

  /** Only the file itself is swapped in, without a WAL. */
  #unwritten(): string | undefined {
    const wal = statSync(`${this.newName}-wal`, { throwIfNoEntry: false });
    return wal && wal.size > 0 ? "its -wal was not written back" : undefined;
  }

  keptName(stamp: string): string {
    return this.#locked.nameAfter(`.damaged-${stamp}`);
  }

  swap(kept: string): void {
    this.#locked.replaceWith(this.newName, kept);
    damageMarkerOf(this.path).remove();
  }

  close(): void {
    this.#writer?.writer.close();
    this.#removeNew();
    this.#locked.close();
    this.#pages.close();
  }

  #removeNew(): void {
    for (const end of ["", "-wal", "-shm"]) rmSync(`${this.newName}${end}`, { force: true });
  }
}
