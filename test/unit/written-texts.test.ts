/** Tests how much is remembered of written pieces. */

import { expect, test } from "bun:test";
import { literalPiece } from "../../src/document/fragment.ts";
import { findWritten, rememberWritten } from "../../src/document/written-texts.ts";

test("rules that callers choose take a bounded amount of memory", () => {
  const piece = literalPiece("{}");
  const rule = (number: number) => `${number} ${"x".repeat(8000)}`;
  const isKnown = (number: number) => findWritten(rule(number), piece, undefined) !== undefined;
  // It is remembered the second time.
  rememberWritten(rule(0), piece, undefined, "{}");
  for (let number = 0; number < 6000; number++) {
    rememberWritten(rule(number), piece, undefined, "{}");
    expect(isKnown(number)).toBe(true);
  }
  const known = Array.from({ length: 6000 }, (_, number) => number).filter(isKnown);
  expect(known.length * 8000).toBeLessThan(32 << 20);
});
