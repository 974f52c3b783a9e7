/** Creates the files of shards and keys so that only their owner can read them. */

import { closeSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";

/** Creates the file and its folder if they are missing, before SQLite opens it: the WAL gets the mode of the file. */
export function createPrivateFile(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  try {
    closeSync(openSync(path, "wx", 0o600));
  } catch (error) {
    // An existing file must not be opened here: closing it would release the locks that SQLite
    // holds in this process, and other programs could delete the WAL in use.
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}
