/** In charge of waiting: for a limit to pass, and no longer than the caller wants to. */

import type { MatchbookError } from "./errors.ts";

export type Wait = (milliseconds: number, signal: AbortSignal | undefined) => Promise<void>;

/** Timers that are set to more go off at once. */
const LONGEST_TIMER = 2 ** 31 - 1;

/** Ends early, with the signal's reason, when the signal says so. */
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
      Math.min(milliseconds, LONGEST_TIMER),
    );
    if (signal?.aborted) stop();
    else signal?.addEventListener("abort", stop, { once: true });
  });

/** Where the reply does not say how long. */
const USUAL_SECONDS = 1;

/**
 * How long to wait before the request can succeed; undefined if waiting does not help. An exceeded
 * quota lasts until midnight, and after too many invalid keys someone has to check the key.
 */
export function pauseAfter({ kind, code, retryAfter }: MatchbookError): number | undefined {
  if (kind !== "limited" || code === "too-many-failures") return undefined;
  return Math.max(1, retryAfter ?? USUAL_SECONDS) * 1000;
}
