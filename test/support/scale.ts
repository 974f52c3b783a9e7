/** How many cases tests generate: a quarter in `npm test`, half in `npm run test:long`, all with TEST_SCALE=1. */

const SCALE = Number(process.env.TEST_SCALE ?? 0.25);

export const scaled = (cases: number, least = 5): number =>
  Math.max(least, Math.round(cases * SCALE));

/** Some of these cases, spread over all of them. */
export function someOf<T>(cases: readonly T[], least?: number): T[] {
  const count = Math.min(cases.length, scaled(cases.length, least));
  return Array.from({ length: count }, (_, at) => cases[Math.floor((at * cases.length) / count)]!);
}

/** The same for cases that take long each: a sixteenth of them in `npm test`. */
export const costly = (cases: number, least = 4): number =>
  Math.max(least, Math.round(cases * SCALE * SCALE));
