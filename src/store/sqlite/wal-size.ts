/** Limits the size of a shard's write-ahead log (WAL), even if readers never pause. */

import type { Database } from "bun:sqlite";
import { statSync } from "node:fs";

export interface WalLimits {
  /**
   * A transaction begins only if the WAL is smaller. SQLite's own checkpoints, after each commit that
   * leaves more than 8 MiB, never wait; and SQLite starts the WAL over only when nobody reads from it.
   */
  maxBytes: number;
  /** How long a transaction waits for readers. Those of requests end within milliseconds. */
  patienceMs: number;
}

/** Readers that pause for a moment keep it below this, plus one transaction. */
export const MAX_WAL_BYTES = 64 * 1024 * 1024;

const LIMITS: WalLimits = { maxBytes: MAX_WAL_BYTES, patienceMs: 10_000 };

/** How fast it may grow beyond its limit during a long read. */
const BYTES_PER_SECOND = 2 * 1024 * 1024;
/** How long one attempt blocks the thread, on which other readers may have to finish. */
const ATTEMPT_MS = 100;

export class Wal {
  readonly #path: string;
  readonly #limits: WalLimits;
  /** Its size when a long read last kept it from being emptied. */
  #stuckAt: number | undefined;

  constructor(
    private readonly database: Database,
    limits: Partial<WalLimits> = {},
  ) {
    // SQLite resolves symbolic links, and the WAL is beside the real file.
    const { file } = database.query<{ file: string }, []>("PRAGMA database_list").get()!;
    this.#path = `${file}-wal`;
    this.#limits = { ...LIMITS, ...limits };
  }

  /** Its size; 0 if there is none. */
  get bytes(): number {
    return statSync(this.#path, { throwIfNoEntry: false })?.size ?? 0;
  }

  /**
   * Empties the WAL if it is too large; must be called outside a transaction. Writers wait for it. A
   * long read, such as a backup, must not stop them: then they wait in proportion to what they wrote.
   */
  async limit(): Promise<void> {
    const { bytes } = this;
    const { maxBytes, patienceMs } = this.#limits;
    if (bytes < maxBytes) return;
    const waitMs =
      this.#stuckAt === undefined
        ? patienceMs
        : (1000 * (bytes - this.#stuckAt)) / BYTES_PER_SECOND;
    this.#stuckAt = (await this.empty(waitMs)) ? undefined : bytes;
  }

  /** Copies all changes into the database; must be called outside a transaction. False if readers do not pause. */
  async empty(waitMs = this.#limits.patienceMs): Promise<boolean> {
    const giveUpAt = performance.now() + waitMs;
    do {
      // Readers on this thread end their snapshots first.
      await new Promise(setImmediate);
      if (this.#truncate()) return true;
    } while (performance.now() < giveUpAt);
    return false;
  }

  /** Copies all changes into the database. False if a reader or another writer is in the way. */
  #truncate(): boolean {
    const { timeout } = this.database.query<{ timeout: number }, []>("PRAGMA busy_timeout").get()!;
    this.database.run(`PRAGMA busy_timeout = ${ATTEMPT_MS}`);
    try {
      // It waits until readers have left the WAL. New ones read the database alone meanwhile.
      const { busy } = this.database
        .query<{ busy: number }, []>("PRAGMA wal_checkpoint(TRUNCATE)")
        .get()!;
      return busy === 0;
    } finally {
      this.database.run(`PRAGMA busy_timeout = ${timeout}`);
    }
  }
}
