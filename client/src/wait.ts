/** Waits for rate limits. */

import type { MatchbookError } from "./errors.ts";

export type Wait = (milliseconds: number, signal: AbortSignal | undefined) => Promise<void>;

/** Longer timers fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Rejects with the signal's reason when it aborts. */
export const wait: Wait = (milliseconds, signal) =>
  new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(
      () => {
        signal?.removeEventListener("abort", stop);
        resolve();
      },
      Math.min(milliseconds, MAX_TIMER_MS),
    );
    if (signal?.aborted) stop();
    else signal?.addEventListener("abort", stop, { once: true });
  });

/** Without Retry-After. */
const DEFAULT_SECONDS = 1;

/**
 * How long to wait before the request can succeed; undefined if waiting does not help. An exceeded
 * quota lasts until midnight, and after too many invalid keys someone has to check the key.
 */
export function pauseAfter({ kind, code, retryAfter }: MatchbookError): number | undefined {
  if (kind !== "limited" || code === "too-many-failures") return undefined;
  return Math.max(1, retryAfter ?? DEFAULT_SECONDS) * 1000;
}
