/** Retries work on a shard whose database is unavailable, with growing pauses. */

import { StoreAway, StoreRefuses } from "../store/store.ts";

/** How long a shard is waited for, and who hears of it. */
export interface Patience {
  /** From the first failure on. */
  longestMs: number;
  onWait(shard: string, error: StoreAway): void;
  onReturn(shard: string, waitedMs: number): void;
}

/** Between two tries: twice as long each time, within these. */
const SHORTEST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 5000;

/** A shard that stayed away for as long as it was waited for. */
export class StayedAway extends StoreAway {
  override name = "StayedAway";
}

export class Retry {
  readonly #patience: Patience | undefined;
  /** Since when each of those that are away was found to be so. */
  readonly #since = new Map<string, number>();

  /** Without patience, nothing is tried twice. */
  constructor(patience: Patience | undefined) {
    this.#patience = patience;
  }

  /** What `work` gives, which must be safe to do again. Throws StayedAway, and what no wait would mend. */
  async run<T>(shard: string, work: () => Promise<T>): Promise<T> {
    for (let pauseMs = SHORTEST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
      try {
        const result = await work();
        this.#found(shard);
        return result;
      } catch (error) {
        this.#missed(shard, error);
      }
      await Bun.sleep(pauseMs);
    }
  }

  /** Throws if it is not to be waited for any longer. */
  #missed(shard: string, error: unknown): void {
    const patience = this.#patience;
    if (!(error instanceof StoreAway) || error instanceof StoreRefuses || !patience) throw error;
    const now = performance.now();
    const since = this.#since.get(shard);
    if (now - (since ?? now) >= patience.longestMs) {
      throw new StayedAway(error.message, { cause: error.cause });
    }
    if (since !== undefined) return;
    this.#since.set(shard, now);
    patience.onWait(shard, error);
  }

  #found(shard: string): void {
    const since = this.#since.get(shard);
    if (since === undefined) return;
    this.#since.delete(shard);
    this.#patience?.onReturn(shard, performance.now() - since);
  }
}
