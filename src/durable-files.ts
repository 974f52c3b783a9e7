/** Makes files and their names survive a power failure: a name is on the disk only when its folder is synced too. */

import {
  closeSync,
  constants,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, resolve } from "node:path";

export const syncFile = (path: string): void => sync(path, constants.O_RDWR);

/** Makes the names in a folder durable. */
export const syncFolder = (path: string): void => sync(path, constants.O_RDONLY);

/** Creates a folder, and those above it that do not exist. */
export function makeFolder(path: string, mode?: number): void {
  const first = mkdirSync(path, { recursive: true, ...(mode !== undefined && { mode }) });
  if (first === undefined) return;
  const above = dirname(resolve(first));
  for (let made = resolve(path); made !== above; made = dirname(made)) syncFolder(dirname(made));
}

/** Writes a small file in one step: other processes, and those after a power failure, see the old or the new one. */
export function replaceFile(path: string, content: string): void {
  const draft = `${path}.${process.pid}`;
  try {
    writeFileSync(draft, content);
    syncFile(draft);
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
  syncFolder(dirname(path));
}

function sync(path: string, flags: number): void {
  const file = openSync(path, flags);
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
