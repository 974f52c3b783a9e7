/** Options of the client and of single calls. */

import { misuse } from "./errors.ts";
import type { Limits } from "./limits.ts";
import type { Wait } from "./wait.ts";

/** The part of fetch that the client uses. */
export type Fetch = (
  url: string,
  options: {
    headers: Record<string, string>;
    signal: AbortSignal | null;
    redirect: "manual";
  },
) => Promise<Response>;

export interface MatchbookOptions {
  /** The URL of the service, e.g. `http://localhost:8080`. */
  url: string | URL;
  /** The API key. Without one, only `status()` and other open endpoints work. */
  key?: string | undefined;
  /** Replaces the global `fetch`. */
  fetch?: Fetch | undefined;
  /** The number of cached responses for `If-None-Match`. Default: 100; 0 disables the cache. */
  cache?: number | undefined;
  /**
   * The maximum time in milliseconds that one request waits for rate limits before it throws the
   * 429. Default: 60,000; 0 disables waiting.
   */
  patience?: number | undefined;
  /** Called with the limits of each response. */
  onLimits?: ((limits: Limits) => void) | undefined;
  /** Replaces the timer. It must stop when the signal aborts. */
  wait?: Wait | undefined;
}

/** Options of every call. */
export interface CallOptions {
  /** Aborts the request and any wait with the signal's reason. */
  signal?: AbortSignal | undefined;
  /** Overrides the client's option. */
  patience?: number | undefined;
}

export const DEFAULT_CACHE = 100;
export const DEFAULT_PATIENCE = 60_000;

/** Rejects keys that are not valid in a header: fetch would show them in its error message. */
export function authorization(key: string | undefined): Record<string, string> {
  if (key === undefined) return {};
  if (!/^[\x21-\x7e]+$/.test(key)) {
    throw misuse(
      "`key` is empty, or contains spaces, line breaks or other characters that no key contains. Check its source; it may need trimming.",
    );
  }
  return { Authorization: `Bearer ${key}` };
}

export function atLeastZero(name: string, value: number): number {
  if (value >= 0) return value;
  throw misuse(`\`${name}\` must be a number of 0 or more.`);
}
