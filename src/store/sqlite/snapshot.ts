/**
 * The snapshot that a reader's connection sees. Starting and ending a read transaction takes longer
 * than most lookups, so one snapshot serves the requests of a moment within a turn of the event loop.
 */

import type { Database, Statement } from "bun:sqlite";

/**
 * A turn may take long, and connections that are accepted meanwhile are answered in it. An acknowledgement by another
 * process, and a new connection of the client that got it, take longer than this.
 */
const MOST_AGE_MS = 0.2;

/** Commits by this process must be visible at once, even within a turn. */
let commits = 0;

export function noteCommit(): void {
  commits += 1;
}

export class Snapshot {
  readonly #begin: Statement;
  readonly #end: Statement;
  readonly #version: Statement<{ data_version: number }, []>;
  #isOpen = false;
  #openedAt = 0;
  #commits = -1;
  #seen = -1;

  /** `onChange` is called in the new snapshot, before other reads, if the file has changed. */
  constructor(
    database: Database,
    private readonly onChange: () => void,
  ) {
    this.#begin = database.prepare("BEGIN");
    this.#end = database.prepare("COMMIT");
    this.#version = database.prepare("PRAGMA data_version");
  }

  /** Call before every read. */
  enter(): void {
    if (this.#isOpen) {
      if (this.#commits === commits) return;
      this.leave();
    }
    this.#begin.run();
    this.#isOpen = true;
    this.#openedAt = performance.now();
    this.#commits = commits;
    setImmediate(this.#leaveAfterTurn);
    try {
      const { data_version } = this.#version.get()!;
      if (data_version === this.#seen) return;
      this.onChange();
      this.#seen = data_version;
    } catch (error) {
      // Otherwise the next read of this turn would use an outdated cache.
      this.leave();
      throw error;
    }
  }

  /** For a new request. */
  renew(): void {
    if (this.#isOpen && performance.now() - this.#openedAt > MOST_AGE_MS) this.leave();
  }

  leave(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    try {
      this.#end.run();
    } catch {
      // After a read of a damaged page, the end of the transaction fails with the same error, which that read has
      // reported. Nothing was written. If the transaction is still open, the next BEGIN fails and is reported.
    }
  }

  /** Without this, the file stays open until the garbage collector finds the statements. */
  close(): void {
    this.leave();
    for (const statement of [this.#begin, this.#end, this.#version]) statement.finalize();
  }

  readonly #leaveAfterTurn = () => this.leave();
}
