/** How many cases property tests generate: all with TEST_SCALE=1, half of them in CI, otherwise a quarter. */

const SCALE = Number(process.env.TEST_SCALE ?? 0.25);

export const scaled = (cases: number): number => Math.max(5, Math.round(cases * SCALE));

/** The same for cases that take long each: a sixteenth of them in `npm test`. */
export const costly = (cases: number, least = 4): number =>
  Math.max(least, Math.round(cases * SCALE * SCALE));
