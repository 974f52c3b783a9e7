/** Opens or creates a shard's file, or explains why it cannot be used. */

import { Database } from "bun:sqlite";
import { accessSync, existsSync, constants as modes, realpathSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { createFile } from "../../durable-files.ts";
import { createTable, insertInto } from "../../sqlite/create.ts";
import { openImmutable, openUnchanged } from "../../sqlite/open-unchanged.ts";
import { DECLARED } from "../all-tables/declared.ts";
import { newDerived } from "../all-tables/derived.ts";
import { newShard } from "../core/shard.ts";
import { checkFormat, FORMAT } from "../formats.ts";
import type { ShardAccess } from "../shards.ts";
import { OtherOwner, StoreError } from "../store.ts";
import { storedValues } from "../table.ts";
import { DERIVED, SHARD } from "../tables.ts";

/** How long a writer waits for the lock. Batches are short; this allows for very slow disks. */
const WRITER_PATIENCE_MS = 60_000;
const READER_PATIENCE_MS = 5_000;
/** Pages that a connection keeps in memory. */
const CACHED_KIB = 64 * 1024;
/** The same for readers, whose files are not mapped by default. */
const READER_CACHED_KIB = 256 * 1024;
/** Match rows take 2 to 3 KB. Larger pages waste less space at their ends, but each lookup reads whole pages. */
export const PAGE_BYTES = 8192;
/** Identifies the file as a Matchbook shard: "MTBK". */
export const APPLICATION_ID = 0x4d54424b;

/** The file has nothing of a shard, or belongs to another program. */
export class NotAShard extends StoreError {
  override name = "NotAShard";
}

/**
 * Opens for reads; with "read" without changing anything, e.g. a backup. Undefined if the file does not exist or contains no
 * shard yet. Throws OtherOwner if it belongs to another shard than `shard`.
 */
export function openForReading(
  path: string,
  shard?: string,
  access: ShardAccess = "write",
): Database | undefined {
  if (!existsSync(path)) return undefined;
  const cachedKib = access === "read" ? CACHED_KIB : READER_CACHED_KIB;
  try {
    const database =
      access === "read" || isUnchangeable(path) ? openUnchanged(path) : open(path, false);
    return prepareForReading(database, path, shard, cachedKib);
  } catch (error) {
    if (!hasNoSpaceForWal(error, path)) throw asStoreError(error, path);
    return prepareForReading(openImmutable(path), path, shard, cachedKib);
  }
}

function prepareForReading(
  database: Database,
  path: string,
  shard: string | undefined,
  cachedKib: number,
): Database | undefined {
  try {
    // Set before the first read: another process may be creating or recovering the file.
    database.run(`PRAGMA busy_timeout = ${READER_PATIENCE_MS}`);
    if (formatOf(database, path) === 0) {
      database.close();
      return undefined;
    }
    checkOwner(database, path, shard);
    database.run("PRAGMA query_only = ON");
    database.run(`PRAGMA cache_size = ${-cachedKib}`);
    return database;
  } catch (error) {
    database.close();
    throw asStoreError(error, path);
  }
}

/** Opens for writing. Creates the file of `shard` if necessary. Throws OtherOwner if it belongs to another shard. */
export function openForWriting(
  path: string,
  shard: string,
  cachedKib = CACHED_KIB,
  patienceMs = WRITER_PATIENCE_MS,
): Database {
  const database = open(path, true);
  try {
    database.run(`PRAGMA busy_timeout = ${patienceMs}`);
    // Checked before anything is changed: the file may belong to another program.
    const isNew = formatOf(database, path) === 0;
    if (!isNew) checkOwner(database, path, shard);
    database.run(`PRAGMA page_size = ${PAGE_BYTES}`);
    // Pages that become free can then be returned without rewriting the file.
    if (pragma(database, "page_count") === 0) database.run("PRAGMA auto_vacuum = INCREMENTAL");
    // Removed rows are overwritten, so that a name that was removed cannot be found in the file.
    database.run("PRAGMA secure_delete = ON");
    database.run("PRAGMA journal_mode = WAL");
    // FULL: acknowledged commits survive a power failure.
    database.run("PRAGMA synchronous = FULL");
    database.run(`PRAGMA cache_size = ${-cachedKib}`);
    if (isNew) {
      createShard(database, path, shard);
      // Another process may have created it.
      checkOwner(database, path, shard);
    }
    return database;
  } catch (error) {
    database.close();
    throw asStoreError(error, path);
  }
}

function open(path: string, create: boolean): Database {
  try {
    if (create) createFile(path);
    return new Database(path, { readwrite: true, create });
  } catch (error) {
    throw asStoreError(error, path);
  }
}

/** Whether a file is on a read-only file system, where SQLite cannot create the WAL that it lacks. */
function isUnchangeable(path: string): boolean {
  const file = realpathSync(path);
  if (existsSync(`${file}-wal`)) return false;
  try {
    accessSync(dirname(file), modes.W_OK);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EROFS";
  }
}

/**
 * Whether the disk is too full for the index of the WAL, which every reader needs. The file can be read alone if there is
 * nothing in the WAL.
 */
function hasNoSpaceForWal(error: unknown, path: string): boolean {
  const { cause } = error as { cause?: { code?: unknown } };
  const walBytes = statSync(`${realpathSync(path)}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  return cause?.code === "SQLITE_IOERR_SHMSIZE" && walBytes === 0;
}

/** In one transaction: a process that is killed leaves no part of a shard. */
function createShard(database: Database, path: string, shard: string): void {
  database
    .transaction(() => {
      // Checked again inside the transaction: another process may have created it.
      if (formatOf(database, path) !== 0) return;
      for (const statement of DECLARED.flatMap(createTable)) database.run(statement);
      database.run(insertInto(SHARD), storedValues(SHARD, newShard(shard)));
      for (const row of newDerived()) database.run(insertInto(DERIVED), storedValues(DERIVED, row));
      database.run(`PRAGMA application_id = ${APPLICATION_ID}`);
      database.run(`PRAGMA user_version = ${FORMAT}`);
    })
    .immediate();
}

/** Throws OtherOwner if the file belongs to another shard than `shard`. */
export function checkOwner(database: Database, path: string, shard: string | undefined): void {
  const row = database.query<{ id: string }, []>("SELECT id FROM shard").get();
  // Without the row the shard is damaged, which its readers report.
  if (row && shard !== undefined && row.id !== shard) throw new OtherOwner(path, shard, row.id);
}

/** 0: no shard yet. Throws StoreError if the file is not a shard, or has a format that cannot be used. */
export function formatOf(database: Database, path: string): number {
  const format = pragma(database, "user_version");
  if (
    pragma(database, "application_id") !== APPLICATION_ID &&
    (format > 0 || hasTables(database))
  ) {
    throw new NotAShard(
      `${path} is an SQLite file, but not a Matchbook shard; move it out of the data folder`,
    );
  }
  if (format > 0) checkFormat(path, format);
  return format;
}

/** A shard gets its tables and its application id in one transaction. */
function hasTables(database: Database): boolean {
  return database.query("SELECT 1 FROM sqlite_schema LIMIT 1").get() !== null;
}

export function pragma(database: Database, name: string): number {
  return database.query<Record<string, number>, []>(`PRAGMA ${name}`).get()![name]!;
}

export function asStoreError(error: unknown, path: string): StoreError {
  if (error instanceof StoreError) return error;
  const reason = error instanceof Error ? error.message : String(error);
  return new StoreError(`cannot use ${path}: ${reason}`, { cause: error });
}
