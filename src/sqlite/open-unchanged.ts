/** Opens an SQLite file without changing it, and without leaving a WAL beside it. */

import { constants, Database } from "bun:sqlite";
import { accessSync, existsSync, constants as modes, realpathSync } from "node:fs";
import { dirname } from "node:path";
import { pathToFileURL } from "node:url";

/**
 * For reading only. Which way leaves nothing behind depends on the WAL:
 * - With a WAL, the file is in use or was copied while it was. A read-only connection includes the
 *   WAL, and cannot write it back into the file.
 * - Without one, a read-only connection would create an empty WAL and leave it there. One that may
 *   write removes it again; nothing is written through it.
 * - Where that is impossible, the file cannot change and is read alone.
 */
export function openUnchanged(path: string): Database {
  // SQLite puts the WAL beside the file that a symbolic link points to.
  const file = realpathSync(path);
  if (existsSync(`${file}-wal`)) return new Database(file, { readonly: true });
  if (isWritable(file) && isWritable(dirname(file))) {
    return new Database(file, { readwrite: true, create: false });
  }
  return openImmutable(file);
}

const IMMUTABLE = "?immutable=1";

/** Reads the file alone: without locks, and without noticing changes. There must be no WAL. */
export function openImmutable(path: string): Database {
  return new Database(
    `${pathToFileURL(realpathSync(path))}${IMMUTABLE}`,
    constants.SQLITE_OPEN_READONLY | constants.SQLITE_OPEN_URI,
  );
}

export const isImmutable = (database: Database): boolean => database.filename.endsWith(IMMUTABLE);

function isWritable(path: string): boolean {
  try {
    accessSync(path, modes.W_OK);
    return true;
  } catch {
    return false;
  }
}
