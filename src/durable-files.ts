/**
 * Makes files that only their owner can read, and that survive a power failure with their names: a name is on the disk
 * only when its folder is synced too.
 */

import {
  closeSync,
  constants,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { dirname, resolve } from "node:path";

export const syncFile = (path: string): void => sync(path, constants.O_RDWR);

/** Makes the names in a folder durable. */
export const syncFolder = (path: string): void => sync(path, constants.O_RDONLY);

/** Creates a folder, and those above it that do not exist. */
export function makeFolder(path: string): void {
  const first = mkdirSync(path, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  const above = dirname(resolve(first));
  for (let made = resolve(path); made !== above; made = dirname(made)) syncFolder(dirname(made));
}

/** Creates an empty file and its folder if they are missing, for SQLite: its WAL gets the mode of the file. */
export function createFile(path: string): void {
  makeFolder(dirname(path));
  try {
    closeSync(openSync(path, "wx", 0o600));
  } catch (error) {
    // An existing file must not be opened here: closing it would release the locks that SQLite
    // holds in this process, and other programs could delete the WAL in use.
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    return;
  }
  syncFolder(dirname(path));
}

/** Writes a small file in one step: other processes, and those after a power failure, see the old or the new one. */
export function replaceFile(path: string, content: string): void {
  const draft = `${path}.${process.pid}`;
  try {
    writeFileSync(draft, content, { mode: 0o600 });
    syncFile(draft);
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
  syncFolder(dirname(path));
}

/** Writes to an open file. One write may be partial, e.g. when the disk becomes full; the next one throws then. */
export function writeAll(file: number, content: string | Uint8Array): void {
  const bytes = typeof content === "string" ? Buffer.from(content) : content;
  for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
}

function sync(path: string, flags: number): void {
  const file = openSync(path, flags);
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
