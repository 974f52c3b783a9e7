/** Notices that the file of a connection was deleted or replaced. SQLite does not: it goes on with the deleted file. */

import type { Database } from "bun:sqlite";
import { realpathSync, type Stats, statSync } from "node:fs";
import { isImmutable } from "../../sqlite/open-unchanged.ts";
import { StoreError, StoreReplaced } from "../store.ts";

/**
 * Undefined without a file. Throws StoreError. It never opens the file: closing it again would drop the locks that
 * SQLite holds on it.
 */
export function fileStats(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    throw new StoreError(`cannot use ${path}: ${(error as Error).message}`, { cause: error });
  }
}

export function isSameFile(one: Stats | undefined, other: Stats | undefined): boolean {
  return one?.dev === other?.dev && one?.ino === other?.ino;
}

export const deletedFile = (path: string): StoreReplaced =>
  new StoreReplaced(
    `${path} was deleted while it was in use; put it back or restore a backup, or restart the server to continue without it`,
  );

export class OpenedFile {
  /** Beside the file that a symbolic link points to. */
  readonly #walPath: string;
  readonly #wal: Stats | undefined;
  readonly #isImmutable: boolean;

  /**
   * Call after the first read, which creates the WAL. `file` is from before the file was opened, if it existed: a file
   * that is replaced meanwhile then counts as replaced.
   */
  constructor(
    database: Database,
    private readonly path = database.filename,
    private readonly file = fileStats(path),
  ) {
    this.#walPath = `${fileStats(path) ? realpathSync(path) : path}-wal`;
    this.#wal = fileStats(this.#walPath);
    this.#isImmutable = isImmutable(database);
  }

  /** Whether there is another file now, which can be opened instead. Throws StoreReplaced if there is none. */
  isReplaced(): boolean {
    const now = fileStats(this.path);
    if (now === undefined) throw deletedFile(this.path);
    return !isSameFile(now, this.file) || (this.#isImmutable && this.#hasChanged(now));
  }

  /** Throws StoreReplaced unless what was committed is in the files that the next start will find. */
  checkCommitted(): void {
    const isThere =
      isSameFile(fileStats(this.path), this.file) &&
      (this.#wal === undefined || isSameFile(fileStats(this.#walPath), this.#wal));
    if (isThere) return;
    throw new StoreReplaced(
      `${this.path} or its -wal was deleted or replaced during a write, so the last records are not stored; restore the file if necessary, restart the server, and send the records again`,
    );
  }

  /** An immutable file is read without a WAL, and SQLite expects no change. */
  #hasChanged({ mtimeMs }: Stats): boolean {
    return mtimeMs !== this.file?.mtimeMs || (fileStats(this.#walPath)?.size ?? 0) > 0;
  }
}
