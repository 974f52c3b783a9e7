/** In charge of UTC days: usage and budgets are counted by them. */

const DAY_MS = 86_400_000;

/** Days since the epoch. */
export const dayOf = (nowMs: number): number => Math.floor(nowMs / DAY_MS);

/** As people write it: 2026-11-15. */
export const writtenDay = (day: number): string =>
  new Date(day * DAY_MS).toISOString().slice(0, "2026-11-15".length);

/** At least 1. */
export const secondsToNextDay = (nowMs: number): number =>
  Math.ceil(((dayOf(nowMs) + 1) * DAY_MS - nowMs) / 1000);
