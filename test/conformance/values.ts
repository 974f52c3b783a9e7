/** Conformance: the values that writes and questions are made of. */

import fc from "fast-check";
import type { RankedTally } from "../../src/domain/rank.ts";

// Few distinct values, so that times, names, players and cursors often coincide.
export const IDS = ["a", "A", "-", "_", "0", "9", "00", "z", "Z", "a-", "a0", "zz"];
export const PLAYERS = ["p", "P", "q", "r", "-s"];
export const TEAMS = ["t", "u", "T"];
export const MODES = ["ranked", "casual", "private"];
export const PATCHES = ["1", "2", "2 "];
/** Texts that differ only byte by byte, and some that look like SQL. */
export const NAMES = [
  ...["NULL", "null", "{a,b}", "a,b", '"', "\\", '\\"', "'; --", "$1", "😀\u2028", " "],
  ...["Ana", "ana", "ANA", " Ana", "Ana ", "Aná", "Ana\u0301", "Ａｎａ", "Straße", "Strasse"],
  ...["İ", "i", "ı", "名", "名\u200b", "😀", "%", "_", "'", "1", "01", "1.0", "  "],
  "x".repeat(256),
];

export const time = fc.integer({ min: -3, max: 6 });
/** Values for some of these words. */
export const some = <T>(words: readonly string[], value: fc.Arbitrary<T>, maxKeys = 3) =>
  fc.dictionary(fc.constantFrom(...words), value, { maxKeys, noNullPrototype: true });

/** Also beyond 64 bits. */
export const golds = fc.constantFrom(
  ...[0n, 1n, -1n, 2n ** 53n + 1n, 2n ** 64n, 10n ** 40n + 7n, -(10n ** 30n)],
);

/** Ranked matches. Win rates need twenty. */
export const tally: fc.Arbitrary<RankedTally> = fc
  .tuple(fc.constantFrom(0, 1, 2, 19, 20, 21, 40), fc.nat(100))
  .map(([played, share]) => ({ played, wins: Math.floor((played * share) / 100) }));

/** Rows after these changes: nothing and zero are no rows. */
export const changed = <T>(
  before: ReadonlyMap<string, T>,
  changes: Iterable<readonly [string, T | undefined | 0]>,
): Map<string, T> => {
  const after = new Map(before);
  for (const [key, value] of changes) {
    if (value === undefined || value === 0) after.delete(key);
    else after.set(key, value);
  }
  return after;
};
