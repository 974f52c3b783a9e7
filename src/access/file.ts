/** In charge of the SQLite file that keeps the keys: its place, its settings and its version. */

import { Database, SQLiteError } from "bun:sqlite";
import { closeSync, mkdirSync, openSync } from "node:fs";
import { join } from "node:path";

/** Why the keys cannot be used, in words meant for the operator. */
export class AccessFileError extends Error {
  override name = "AccessFileError";
}

// Each entry leads from the version that is its index to the next; never change one, only append.
const MIGRATIONS = [
  `CREATE TABLE api_keys (
     id         TEXT PRIMARY KEY,
     name       TEXT NOT NULL,
     hash       TEXT NOT NULL UNIQUE,
     rate       INTEGER,
     created_at INTEGER NOT NULL,
     revoked_at INTEGER
   ) STRICT, WITHOUT ROWID`,
];

export const accessFile = (dataDir: string): string => join(dataDir, "access.sqlite");

/** Creates the folder and the file where they are missing, readable by their owner alone. */
export function createAccessFile(dataDir: string): void {
  mkdirSync(dataDir, { recursive: true });
  // Before SQLite opens it: the write-ahead log takes its mode from the file that it finds.
  closeSync(openSync(accessFile(dataDir), "a", 0o600));
}

/** Opens a file that is there, bringing it to the present version; a newer one is refused. */
export function openAccessFile(dataDir: string): Database {
  const path = accessFile(dataDir);
  try {
    return prepared(path);
  } catch (error) {
    // SQLite does not say which file it means.
    if (!(error instanceof SQLiteError)) throw error;
    throw new AccessFileError(`${path} cannot be used: ${error.message}`, { cause: error });
  }
}

function prepared(path: string): Database {
  const database = new Database(path, { readwrite: true, create: false, strict: true });
  try {
    database.run("PRAGMA busy_timeout = 10000");
    database.run("PRAGMA journal_mode = WAL");
    database.run("PRAGMA synchronous = FULL");
    if (versionOf(database) !== MIGRATIONS.length) {
      database.transaction(() => migrate(database, path)).immediate();
    }
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

function migrate(database: Database, path: string): void {
  const version = versionOf(database);
  if (version > MIGRATIONS.length) {
    throw new AccessFileError(
      `${path} was written by a newer Matchbook (version ${version} of the file; this one knows ${MIGRATIONS.length}): upgrade Matchbook`,
    );
  }
  for (const step of MIGRATIONS.slice(version)) database.run(step);
  database.run(`PRAGMA user_version = ${MIGRATIONS.length}`);
}

function versionOf(database: Database): number {
  return database.query<{ user_version: number }, []>("PRAGMA user_version").get()!.user_version;
}
