/** Whether and when a failed request is repeated. */

import { type ErrorKind, MatchbookError } from "../../client/src/index.ts";

const FIRST_PAUSE_MS = 2000;
const LAST_PAUSE_MS = 60_000;

const TEMPORARY: ReadonlySet<string> = new Set<ErrorKind>(["limited", "unavailable", "network"]);

/** Whether the same request may succeed later. */
export const isTemporary = (error: unknown): boolean =>
  error instanceof MatchbookError && TEMPORARY.has(error.kind);

/** In milliseconds. Doubles with each failure in a row, and is as long as the server says at least. */
export function pauseAfter(error: unknown, failures: number): number {
  const longest = Math.min(FIRST_PAUSE_MS * 2 ** failures, LAST_PAUSE_MS);
  const asked = error instanceof MatchbookError ? (error.retryAfter ?? 0) * 1000 : 0;
  // Random, so that visitors who lost the same server do not return at the same time.
  return Math.max(longest * (0.5 + Math.random() / 2), asked);
}
