/**
 * A clock that ignores large steps of the system time until they have lasted a while, so that a
 * wrong setting does not end the day.
 */

export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Monotonic milliseconds. */
  monotonic(): number;
}

/** Steps up to this size are accepted at once. */
const SMALL_STEP_MS = 60_000;
/** Larger steps are accepted after this time. */
const ACCEPTED_AFTER_MS = 60_000;

/** Until a large step is accepted, the time follows the monotonic clock. */
export function steadyClock({ now, monotonic }: Clock): Clock {
  let known = { time: now(), at: monotonic() };
  let steppedAt: number | undefined;
  return {
    monotonic,
    now() {
      const time = now();
      const at = monotonic();
      const expected = known.time + (at - known.at);
      const isStep = Math.abs(time - expected) > SMALL_STEP_MS;
      if (isStep) {
        steppedAt ??= at;
        if (at - steppedAt < ACCEPTED_AFTER_MS) return Math.round(expected);
      }
      steppedAt = undefined;
      known = { time, at };
      return time;
    },
  };
}
