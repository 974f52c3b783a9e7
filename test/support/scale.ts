/**
 * How many cases tests generate: a tenth in `npm test`, three tenths in `npm run test:long`, all with TEST_SCALE=1; and
 * the tests that only the latter two have.
 */

import { describe, test } from "bun:test";

const SCALE = Number(process.env.TEST_SCALE ?? 0.1);
/** In `npm run test:long`. */
export const isLong = SCALE >= 0.3;
export const isFull = SCALE >= 1;

const notNow = Object.assign(() => {}, { each: () => notNow, skipIf: () => notNow });

/** For what repeats a guarantee of `npm test` with more kinds of faults, damage or engines. */
export const testLong = isLong ? test : (notNow as unknown as typeof test);
export const describeLong = isLong ? describe : (notNow as unknown as typeof describe);

export const scaled = (cases: number, least = 5): number =>
  Math.max(least, Math.round(cases * SCALE));

/** Some of these cases, spread over all of them. */
export function someOf<T>(cases: readonly T[], least?: number): T[] {
  const count = Math.min(cases.length, scaled(cases.length, least));
  return Array.from({ length: count }, (_, at) => cases[Math.floor((at * cases.length) / count)]!);
}

/** The same for cases that take long each: a hundredth of them in `npm test`. */
export const costly = (cases: number, least = 4): number =>
  Math.max(least, Math.round(cases * SCALE * SCALE));
