/** Notices that the file of a connection was deleted or replaced. SQLite does not: it goes on with the deleted file. */

import { realpathSync, type Stats, statSync } from "node:fs";
import { DamageMarker, type MarkedStore } from "../damage-marker.ts";
import { StoreError, StoreReplaced } from "../store.ts";

/** Records that the shard in a file is damaged, beside that file. */
export const damageMarkerOf = (path: string): DamageMarker =>
  new DamageMarker(`${path}.damaged`, path);

/** What the record is about. */
export const markedFile = ({ dev, ino }: Stats): MarkedStore => ({ device: dev, inode: ino });

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

function isSame(one: Stats | undefined, other: Stats | undefined): boolean {
  return one !== undefined && one.dev === other?.dev && one.ino === other.ino;
}

function realPathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    // It was deleted since it was opened, which the next look notices.
    return path;
  }
}

/** The size of the smallest index of a WAL. */
const INDEX_BYTES = 32 * 1024;

export class OpenedFile {
  /** SQLite puts them beside the file that a symbolic link points to. */
  readonly #walPath: string;
  readonly #indexPath: string;
  readonly #wal: Stats | undefined;
  /** The index of the WAL, which the processes that use the file share. */
  readonly #index: Stats | undefined;
  /** Whether the file is read without a WAL, so that SQLite does not expect any change: see open.ts. */
  readonly #isImmutable: boolean;

  /**
   * Call after the first read, which creates the WAL. `file` is from before the file was opened, if it existed:
   * a file that is replaced meanwhile then counts as replaced.
   */
  constructor(
    private readonly path: string,
    private readonly file: Stats | undefined = fileStats(path),
  ) {
    const real = realPathOf(path);
    this.#walPath = `${real}-wal`;
    this.#indexPath = `${real}-shm`;
    this.#wal = fileStats(this.#walPath);
    this.#index = fileStats(this.#indexPath);
    this.#isImmutable = this.#wal === undefined || (this.#index?.size ?? 0) < INDEX_BYTES;
  }

  /** Whether there is another file now, which can be opened instead. Throws StoreReplaced if there is none. */
  isReplaced(): boolean {
    this.#checkIndex();
    const now = fileStats(this.path);
    if (isSame(now, this.file)) return this.#isImmutable && this.#hasChanged(now!);
    if (now === undefined) {
      throw new StoreReplaced(
        `${this.path} was deleted while it was in use; put it back or restore a backup, or restart the server to continue without it`,
      );
    }
    const wal = fileStats(this.#walPath);
    if (isSame(wal, this.#wal) && wal!.size > 0) {
      throw new StoreReplaced(
        `${this.path} was replaced, but ${this.#walPath} belongs to the previous file and would damage the new one; delete ${this.#walPath} and ${this.#indexPath}`,
      );
    }
    return true;
  }

  /** Throws StoreReplaced unless what was committed is in the files that the next start will find. */
  checkCommitted(): void {
    this.#checkIndex();
    const isThere =
      isSame(fileStats(this.path), this.file) &&
      (this.#wal === undefined || isSame(fileStats(this.#walPath), this.#wal));
    if (isThere) return;
    throw new StoreReplaced(
      `${this.path} or its -wal was deleted or replaced during a write, so the last records are not stored; restore the file if necessary, restart the server, and send the records again`,
    );
  }

  /**
   * Throws StoreReplaced if the index of the WAL was deleted or replaced: other processes then use another one, and
   * neither side sees what the other writes. If the WAL is gone too, a normal stop still copies what was in it.
   */
  #checkIndex(): void {
    const isCutOff =
      !this.#isImmutable &&
      isSame(fileStats(this.path), this.file) &&
      isSame(fileStats(this.#walPath), this.#wal) &&
      !isSame(fileStats(this.#indexPath), this.#index);
    if (!isCutOff) return;
    throw new StoreReplaced(
      `${this.#indexPath} was deleted or replaced while it was in use, so that other processes write to the shard unnoticed; kill the server and its workers with SIGKILL, because a normal stop could remove what they wrote, and start it again`,
    );
  }

  #hasChanged({ mtimeMs }: Stats): boolean {
    return mtimeMs !== this.file?.mtimeMs || (fileStats(this.#walPath)?.size ?? 0) > 0;
  }
}
