/** In charge of what the client can be told, for good and for one call. */

import { misuse } from "./errors.ts";
import type { Limits } from "./limits.ts";
import type { Wait } from "./wait.ts";

/** As much of fetch as the client needs. */
export type Fetch = (
  address: string,
  options: {
    headers: Record<string, string>;
    signal: AbortSignal | null;
    redirect: "manual";
  },
) => Promise<Response>;

export interface MatchbookOptions {
  /** The address of the service, such as `http://localhost:8080`. */
  url: string | URL;
  /** The API key. Without one, only `status()` and its like are answered. */
  key?: string | undefined;
  /** Something else than the `fetch` of the runtime. */
  fetch?: Fetch | undefined;
  /** How many replies are kept to ask `If-None-Match` with; 0 for none. 100 unless it is given. */
  cache?: number | undefined;
  /**
   * How many milliseconds one request may wait for limits in all, before its 429 is thrown; 0 for
   * none. 60,000 if not given.
   */
  patience?: number | undefined;
  /** Called with the limits that each reply tells. */
  onLimits?: ((limits: Limits) => void) | undefined;
  /** Something else than a timer to wait with. It must end when the signal says so. */
  wait?: Wait | undefined;
}

/** What every call takes. */
export interface CallOptions {
  /** Ends the request, and any waiting, with the signal's reason. */
  signal?: AbortSignal | undefined;
  /** Instead of the client's own. */
  patience?: number | undefined;
}

export const USUAL_CACHE = 100;
export const USUAL_PATIENCE = 60_000;

/** A key that cannot stand in a header is refused here: fetch would show it in its complaint. */
export function authorization(key: string | undefined): Record<string, string> {
  if (key === undefined) return {};
  if (!/^[\x21-\x7e]+$/.test(key)) {
    throw misuse(
      "`key` is empty, or has blanks, line ends or other signs that no key has. Check where it comes from; it may need trimming.",
    );
  }
  return { Authorization: `Bearer ${key}` };
}

export function atLeastZero(name: string, value: number): number {
  if (value >= 0) return value;
  throw misuse(`\`${name}\` must be a number from 0 on.`);
}
