/** Copies a shard's file with its WAL as they are, damage included, while others read and write it. */

import type { Database } from "bun:sqlite";
import { closeSync, existsSync, openSync, read, readdirSync, statSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { DamagedData } from "../store.ts";
import { deletedFile, fileStats, isSameFile } from "./opened-file.ts";

const STEP = 1024 * 1024;

const DESCRIPTORS = "/proc/self/fd";

/**
 * A descriptor that SQLite has for the file. One of our own could not be closed again: that would release the locks that
 * SQLite holds on the file in this process, and another program could then delete the WAL in use. SQLite keeps its
 * descriptors of a file as long as any connection of the process has a lock on it.
 */
function descriptorOf(path: string): number {
  const file = fileStats(path);
  const found = readdirSync(DESCRIPTORS).find((name) =>
    isSameFile(statSync(join(DESCRIPTORS, name), { throwIfNoEntry: false }), file),
  );
  if (file === undefined || found === undefined) throw deletedFile(path);
  return Number(found);
}

/**
 * Copies the latest state, or a later one. The connection must not be in a transaction. Its read transaction keeps others
 * from starting the WAL over, and from writing anything into the file that is not in the WAL too.
 */
export async function copyRaw(database: Database, to: string): Promise<void> {
  const { file: from } = database.query<{ file: string }, []>("PRAGMA database_list").get()!;
  database.run("BEGIN");
  try {
    // A transaction begins with its first read.
    database.query("SELECT 1 FROM sqlite_schema").get();
    await copyFile(descriptorOf(from), to);
    if (existsSync(`${from}-wal`)) await copyWal(`${from}-wal`, `${to}-wal`);
  } finally {
    if (database.inTransaction) database.run("ROLLBACK");
  }
}

/** SQLite holds no locks on it. */
async function copyWal(from: string, to: string): Promise<void> {
  const wal = openSync(from, "r");
  try {
    await copyFile(wal, to);
  } finally {
    closeSync(wal);
  }
}

const readPart = promisify(read);

async function copyFile(file: number, to: string): Promise<void> {
  const copy = await open(to, "w", 0o600);
  try {
    const buffer = Buffer.alloc(STEP);
    for (let at = 0; ; ) {
      const { bytesRead } = await readPart(file, buffer, 0, STEP, at);
      if (bytesRead === 0) break;
      await copy.write(buffer, 0, bytesRead);
      at += bytesRead;
    }
  } finally {
    await copy.close();
  }
}

/** Throws DamagedData if a copy has fewer commits than the original had before: SQLite ends at the first bad frame of a WAL. */
export function checkCopied(copy: Database, before: number): void {
  if (sequenceOf(copy) < before) throw new DamagedData("file", "its -wal is damaged");
}

/** The number of the last commit; 0 if it cannot be read, which is found later. */
export function sequenceOf(database: Database): number {
  try {
    return database.query<{ sequence: number }, []>("SELECT sequence FROM shard").get()!.sequence;
  } catch {
    return 0;
  }
}
