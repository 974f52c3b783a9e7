/** In charge of the SQLite files about access: their places, their settings and their versions. */

import { Database, SQLiteError } from "bun:sqlite";
import { closeSync, mkdirSync, openSync, statSync } from "node:fs";
import { join } from "node:path";
import { AccessError } from "./error.ts";

/** A file cannot be used. */
export class AccessFileError extends AccessError {
  override name = "AccessFileError";
}

/** A kind of file, with what it takes to bring one to its present version. */
export interface FileKind {
  name: string;
  /** Each leads from the version that is its index to the next; never change one, only append. */
  migrations: readonly string[];
  /**
   * FULL: what was committed survives a power cut. NORMAL: it survives the end of the process, and
   * costs no wait for the disk.
   */
  synchronous: "FULL" | "NORMAL";
}

export const pathOf = ({ name }: FileKind, dataDir: string): string => join(dataDir, name);

/** Throws if that cannot be told: a folder without rights is not an empty one. */
export const fileExists = (kind: FileKind, dataDir: string): boolean =>
  statSync(pathOf(kind, dataDir), { throwIfNoEntry: false }) !== undefined;

/** Creates the folder and the file where they are missing, readable by their owner alone. */
export function createFile(kind: FileKind, dataDir: string): void {
  mkdirSync(dataDir, { recursive: true });
  try {
    // Before SQLite opens it: the write-ahead log takes its mode from the file that it finds.
    closeSync(openSync(pathOf(kind, dataDir), "wx", 0o600));
  } catch (error) {
    // One that is there must not be opened here: to close it would end the locks that SQLite holds
    // on it for this whole process, and other programs would take away the log that is in use.
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}

/** Opens a file that is there, bringing it to the present version; a newer one is refused. */
export function openFile(kind: FileKind, dataDir: string): Database {
  const path = pathOf(kind, dataDir);
  try {
    return prepared(kind, path);
  } catch (error) {
    // SQLite does not say which file it means.
    if (!(error instanceof SQLiteError)) throw error;
    throw new AccessFileError(`${path} cannot be used: ${error.message}`, { cause: error });
  }
}

function prepared({ migrations, synchronous }: FileKind, path: string): Database {
  const database = new Database(path, { readwrite: true, create: false, strict: true });
  try {
    database.run("PRAGMA busy_timeout = 10000");
    database.run("PRAGMA journal_mode = WAL");
    database.run(`PRAGMA synchronous = ${synchronous}`);
    if (versionOf(database) !== migrations.length) {
      database.transaction(() => migrate(database, migrations, path)).immediate();
    }
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

function migrate(database: Database, migrations: readonly string[], path: string): void {
  const version = versionOf(database);
  if (version > migrations.length) {
    throw new AccessFileError(
      `${path} was written by a newer Matchbook (version ${version} of the file; this one knows ${migrations.length}): upgrade Matchbook`,
    );
  }
  for (const step of migrations.slice(version)) database.run(step);
  database.run(`PRAGMA user_version = ${migrations.length}`);
}

function versionOf(database: Database): number {
  return database.query<{ user_version: number }, []>("PRAGMA user_version").get()!.user_version;
}
