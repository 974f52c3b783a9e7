/** Opens and migrates a shard's file, or explains why it cannot be used. */

import { Database } from "bun:sqlite";
import { existsSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { openUnchanged } from "../../sqlite/open-unchanged.ts";
import { MigrationNeeded, type OnMigrate, StoreError } from "../store.ts";
import { APPLICATION_ID, COMPLETIONS, MIGRATIONS, READABLE } from "./schema.ts";

/** How long a writer waits for the lock. Batches are short; this allows for very slow disks. */
const WRITER_PATIENCE_MS = 60_000;
const READER_PATIENCE_MS = 5_000;
/** For pages that are not memory-mapped. */
const CACHED_KIB = 64 * 1024;
/** The whole file, up to SQLite's limit (2 GiB in Bun's build). */
const MAPPED_BYTES = 2 ** 40;

/**
 * Opens for a server's reads. Without `onMigrate`, a file of an older format is rejected. Undefined
 * if the file does not exist or contains no shard yet.
 */
export function openForReading(path: string, onMigrate?: OnMigrate): Database | undefined {
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
    checkFormat(version, path, onMigrate);
    if (version < MIGRATIONS.length) {
      // Another process may be migrating, which can take longer than a read may wait.
      database.run(`PRAGMA busy_timeout = ${WRITER_PATIENCE_MS}`);
      migrate(database, path, onMigrate);
      database.run(`PRAGMA busy_timeout = ${READER_PATIENCE_MS}`);
    }
    database.run("PRAGMA query_only = ON");
    database.run(`PRAGMA mmap_size = ${MAPPED_BYTES}`);
    database.run(`PRAGMA cache_size = ${-CACHED_KIB}`);
    return database;
  } catch (error) {
    database.close();
    throw asStoreError(error, path);
  }
}

/**
 * Opens without changing the file, e.g. a backup, and reads older formats. Undefined if the file
 * does not exist or contains no shard yet.
 */
export function openReadOnly(path: string): Database | undefined {
  if (!existsSync(path)) return undefined;
  let database: Database | undefined;
  try {
    database = openUnchanged(path);
    database.run(`PRAGMA busy_timeout = ${READER_PATIENCE_MS}`);
    const version = versionOf(database, path);
    if (version === 0) {
      database.close();
      return undefined;
    }
    const substitutes = READABLE.get(version);
    if (substitutes === undefined) throw new MigrationNeeded(path, version, MIGRATIONS.length);
    if (substitutes !== "") database.run(substitutes);
    database.run("PRAGMA query_only = ON");
    return database;
  } catch (error) {
    database?.close();
    throw asStoreError(error, path);
  }
}

/**
 * Opens for writing. Creates the file if necessary. Without `onMigrate`, a file of an older format
 * is rejected.
 */
export function openForWriting(
  path: string,
  cachedKib = CACHED_KIB,
  patienceMs = WRITER_PATIENCE_MS,
  onMigrate?: OnMigrate,
): Database {
  const database = open(path, true);
  try {
    database.run(`PRAGMA busy_timeout = ${patienceMs}`);
    const version = versionOf(database, path);
    checkFormat(version, path, onMigrate);
    // Match rows take 2 to 3 KB. Larger pages waste less space at their ends, but the unmapped part
    // of a large file is read one page at a time.
    database.run("PRAGMA page_size = 8192");
    database.run("PRAGMA journal_mode = WAL");
    // FULL: acknowledged commits survive a power failure.
    database.run("PRAGMA synchronous = FULL");
    database.run(`PRAGMA mmap_size = ${MAPPED_BYTES}`);
    database.run(`PRAGMA cache_size = ${-cachedKib}`);
    if (version < MIGRATIONS.length) migrate(database, path, onMigrate);
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

/** One transaction: a process that is killed leaves the file as it was. */
function migrate(database: Database, path: string, onMigrate?: OnMigrate): void {
  const upgrade = database.transaction(() => {
    // Checked again inside the transaction: another process may have migrated.
    const found = versionOf(database, path);
    if (found > 0 && found < MIGRATIONS.length) onMigrate?.(found, MIGRATIONS.length);
    for (let version = found; version < MIGRATIONS.length; version++) {
      database.run(MIGRATIONS[version]!);
      COMPLETIONS.get(version)?.(database);
    }
    database.run(`PRAGMA application_id = ${APPLICATION_ID}`);
    database.run(`PRAGMA user_version = ${MIGRATIONS.length}`);
  });
  upgrade.immediate();
}

function checkFormat(version: number, path: string, onMigrate: OnMigrate | undefined): void {
  if (version > 0 && version < MIGRATIONS.length && !onMigrate) {
    throw new MigrationNeeded(path, version, MIGRATIONS.length);
  }
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
