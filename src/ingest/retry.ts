/** Retries work on a shard whose database is unavailable, with growing pauses. */

import { StoreRefuses, StoreUnavailable } from "../store/store.ts";

/** How long to wait for a shard, and callbacks for messages. */
export interface RetryOptions {
  /** From the first failure on. */
  longestMs: number;
  onWait(shard: string, error: StoreUnavailable): void;
  onReturn(shard: string, waitedMs: number): void;
}

/** The pause between attempts doubles each time, within these bounds. */
const SHORTEST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 5000;

/** A shard that was unavailable for longer than the caller waits. */
export class RetryTimeout extends StoreUnavailable {
  override name = "RetryTimeout";
}

export class Retry {
  /** When each unavailable shard first failed. */
  readonly #since = new Map<string, number>();

  /** Without options, nothing is retried. */
  constructor(private readonly patience: RetryOptions | undefined) {}

  /** The result of `work`, which must be safe to repeat. Throws RetryTimeout, and errors that waiting does not fix. */
  async run<T>(shard: string, work: () => Promise<T>): Promise<T> {
    for (let pauseMs = SHORTEST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
      try {
        const result = await work();
        const since = this.#since.get(shard);
        if (since !== undefined) this.patience?.onReturn(shard, performance.now() - since);
        this.#since.delete(shard);
        return result;
      } catch (error) {
        this.#failed(shard, error);
      }
      await Bun.sleep(pauseMs);
    }
  }

  /** Throws if there is no further attempt. */
  #failed(shard: string, error: unknown): void {
    const { patience } = this;
    if (!(error instanceof StoreUnavailable) || error instanceof StoreRefuses || !patience)
      throw error;
    const now = performance.now();
    const since = this.#since.get(shard);
    if (now - (since ?? now) >= patience.longestMs) {
      throw new RetryTimeout(error.message, { cause: error.cause });
    }
    if (since !== undefined) return;
    this.#since.set(shard, now);
    patience.onWait(shard, error);
  }
}
