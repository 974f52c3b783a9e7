/** Opens a shard's file and migrates it to the present version; explains why a file cannot be used. */

import { Database } from "bun:sqlite";
import { existsSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { StoreError } from "../store.ts";
import { APPLICATION_ID, COMPLETIONS, MIGRATIONS } from "./schema.ts";

/** How long a writer waits for its turn. Batches are short; this is for very slow disks. */
const WRITER_PATIENCE_MS = 60_000;
const READER_PATIENCE_MS = 5_000;
/** For pages that are not mapped. */
const CACHED_KIB = 64 * 1024;
/** As much as SQLite will map (2 GiB, as Bun has it built); the rest of a larger file is read. */
const MAPPED_BYTES = 2 ** 40;

/**
 * Opens for reading, once the file is at the present version. Undefined when there is no shard in the
 * file (yet).
 */
export function openForReading(path: string): Database | undefined {
  if (!existsSync(path)) return undefined;
  const database = open(path, false);
  try {
    // Before anything is read: the file may just be made, or be mended after a crash.
    database.run(`PRAGMA busy_timeout = ${READER_PATIENCE_MS}`);
    const version = versionOf(database, path);
    if (version === 0) {
      database.close();
      return undefined;
    }
    if (version < MIGRATIONS.length) {
      // Another process may be at it, which can take longer than a read may.
      database.run(`PRAGMA busy_timeout = ${WRITER_PATIENCE_MS}`);
      migrate(database, path);
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

/** Opens for writing; makes the file and brings it to the present version. */
export function openForWriting(
  path: string,
  cachedKib = CACHED_KIB,
  patienceMs = WRITER_PATIENCE_MS,
): Database {
  const database = open(path, true);
  try {
    database.run(`PRAGMA busy_timeout = ${patienceMs}`);
    // Rows of matches take 2 to 3 KB. Larger pages lose fewer bytes at their ends, but the part of a
    // large file that is not mapped is read a page at a time.
    database.run("PRAGMA page_size = 8192");
    database.run("PRAGMA journal_mode = WAL");
    // FULL: a commit that was acknowledged survives a power cut.
    database.run("PRAGMA synchronous = FULL");
    database.run(`PRAGMA mmap_size = ${MAPPED_BYTES}`);
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
    // Asked again inside: another process may have been faster.
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
      `${path} was written by a newer Matchbook (its format is ${version}, this one knows ${MIGRATIONS.length}): update Matchbook to use it`,
    );
  }
  if (version > 0 && pragma(database, "application_id") !== APPLICATION_ID) {
    throw new StoreError(`${path} is an SQLite file, but not a Matchbook shard: move it elsewhere`);
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
