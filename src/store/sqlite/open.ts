/** Opens and migrates a shard's file, or explains why it cannot be used. */

import { Database } from "bun:sqlite";
import { existsSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { StoreError } from "../store.ts";
import { APPLICATION_ID, COMPLETIONS, MIGRATIONS } from "./schema.ts";

/** How long a writer waits for the lock. Batches are short; this allows for very slow disks. */
const WRITER_PATIENCE_MS = 60_000;
const READER_PATIENCE_MS = 5_000;
/**
 * Pages that a connection keeps in memory. Files are not memory-mapped: that is 5 to 10 % faster,
 * but a file that is truncated, or a bad sector, would then kill the process with SIGBUS instead of
 * failing one read.
 */
const CACHED_KIB = 64 * 1024;

/**
 * Opens for reading, and migrates the file if necessary. Undefined if the file does not exist or
 * contains no shard yet.
 */
export function openForReading(path: string): Database | undefined {
  if (!existsSync(path)) return undefined;
  const database = open(path, false);
  try {
    // Set before the first read: another process may be creating or recovering the file.
    database.run(`PRAGMA busy_timeout = ${READER_PATIENCE_MS}`);
    const version = versionOf(database, path);
    if (version === 0) {
      database.close();
      return undefined;
    }
    if (version < MIGRATIONS.length) {
      // Another process may be migrating, which can take longer than a read may wait.
      database.run(`PRAGMA busy_timeout = ${WRITER_PATIENCE_MS}`);
      migrate(database, path);
      database.run(`PRAGMA busy_timeout = ${READER_PATIENCE_MS}`);
    }
    database.run("PRAGMA query_only = ON");
    database.run(`PRAGMA cache_size = ${-CACHED_KIB}`);
    return database;
  } catch (error) {
    database.close();
    throw asStoreError(error, path);
  }
}

/** Opens for writing. Creates and migrates the file if necessary. */
export function openForWriting(
  path: string,
  cachedKib = CACHED_KIB,
  patienceMs = WRITER_PATIENCE_MS,
): Database {
  const database = open(path, true);
  try {
    database.run(`PRAGMA busy_timeout = ${patienceMs}`);
    // Match rows take 2 to 3 KB. Larger pages waste less space at their ends, but each lookup reads
    // whole pages.
    database.run("PRAGMA page_size = 8192");
    database.run("PRAGMA journal_mode = WAL");
    // FULL: acknowledged commits survive a power failure.
    database.run("PRAGMA synchronous = FULL");
    database.run(`PRAGMA cache_size = ${-cachedKib}`);
    if (versionOf(database, path) < MIGRATIONS.length) migrate(database, path);
    return database;
  } catch (error) {
    database.close();
    throw asStoreError(error, path);
  }
}

function open(path: string, create: boolean): Database {
  try {
    if (create) mkdirSync(dirname(path), { recursive: true });
    return new Database(path, { readwrite: true, create });
  } catch (error) {
    throw asStoreError(error, path);
  }
}

function migrate(database: Database, path: string): void {
  const upgrade = database.transaction(() => {
    // Checked again inside the transaction: another process may have migrated.
    for (let version = versionOf(database, path); version < MIGRATIONS.length; version++) {
      database.run(MIGRATIONS[version]!);
      COMPLETIONS.get(version)?.(database);
    }
    database.run(`PRAGMA application_id = ${APPLICATION_ID}`);
    database.run(`PRAGMA user_version = ${MIGRATIONS.length}`);
  });
  upgrade.immediate();
}

function versionOf(database: Database, path: string): number {
  const version = pragma(database, "user_version");
  if (version > MIGRATIONS.length) {
    throw new StoreError(
      `${path} was written by a newer Matchbook (format ${version}; this version supports ${MIGRATIONS.length}); upgrade Matchbook to use it`,
    );
  }
  if (version > 0 && pragma(database, "application_id") !== APPLICATION_ID) {
    throw new StoreError(
      `${path} is an SQLite file, but not a Matchbook shard; move it out of the data folder`,
    );
  }
  return version;
}

function pragma(database: Database, name: string): number {
  return database.query<Record<string, number>, []>(`PRAGMA ${name}`).get()![name]!;
}

function asStoreError(error: unknown, path: string): StoreError {
  if (error instanceof StoreError) return error;
  const reason = error instanceof Error ? error.message : String(error);
  return new StoreError(`cannot use ${path}: ${reason}`, { cause: error });
}
