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

/**
 * The result of `work`, which must be safe to repeat; without options, it is not repeated. Throws RetryTimeout, and errors
 * that waiting does not fix.
 */
export async function retried<T>(
  shard: string,
  patience: RetryOptions | undefined,
  work: () => Promise<T>,
): Promise<T> {
  /** When it first failed. */
  let since: number | undefined;
  for (let pauseMs = SHORTEST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    try {
      const result = await work();
      if (since !== undefined) patience?.onReturn(shard, performance.now() - since);
      return result;
    } catch (error) {
      if (!(error instanceof StoreUnavailable) || error instanceof StoreRefuses || !patience)
        throw error;
      const now = performance.now();
      if (now - (since ?? now) >= patience.longestMs) {
        throw new RetryTimeout(error.message, { cause: error.cause });
      }
      if (since === undefined) patience.onWait(shard, error);
      since ??= now;
    }
    await Bun.sleep(pauseMs);
  }
}
