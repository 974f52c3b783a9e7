/** When a failed delivery is attempted again, and when the hook is given up. */

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** The pauses after the first failures. The last one repeats. */
const PAUSES_MS = [
  5 * SECOND_MS,
  30 * SECOND_MS,
  2 * MINUTE_MS,
  10 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  4 * HOUR_MS,
];
const LONGEST_PAUSE_MS = 4 * HOUR_MS;

/** Receivers that fail together must not be called again together. */
const JITTER = 0.2;

/** How long after the first failure a hook is paused. */
export const GIVE_UP_MS = 24 * HOUR_MS;

export interface Failures {
  /** At least 1. */
  attempts: number;
  /** When the first of them failed. */
  since: number;
  /** What the receiver asks for; 0 if it does not. */
  retryAfterMs: number;
}

/** The time of the next attempt, or undefined to pause the hook. `random` is from 0 to 1. */
export function nextAttempt(
  { attempts, since, retryAfterMs }: Failures,
  now: number,
  random: number,
): number | undefined {
  const end = since + GIVE_UP_MS;
  if (now >= end) return undefined;
  const pause = PAUSES_MS[Math.min(attempts, PAUSES_MS.length) - 1]!;
  const asked = Math.min(retryAfterMs, LONGEST_PAUSE_MS);
  const next = now + Math.max(Math.round(pause * (1 + JITTER * random)), asked);
  // The last attempt is made a day after the first one.
  return Math.min(next, end);
}
