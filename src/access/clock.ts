/** A clock whose steps are believed only once they last: a day must not pass because the clock was set wrong. */

export interface Clock {
  /** The time of day in milliseconds. */
  now(): number;
  /** Milliseconds that never step back. */
  monotonic(): number;
}

/** The time of day may step by this much and is believed at once. */
const SMALL_STEP_MS = 60_000;
/** A larger step is believed once it has lasted for so long. */
const BELIEVED_AFTER_MS = 60_000;

/** The time of day goes on as the monotonic clock does while a large step is not believed. */
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
        if (at - steppedAt < BELIEVED_AFTER_MS) return expected;
      }
      steppedAt = undefined;
      known = { time, at };
      return time;
    },
  };
}
