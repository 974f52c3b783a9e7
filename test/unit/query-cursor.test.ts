import { describe, expect, test } from "bun:test";
import { crc32 } from "node:zlib";
import fc from "fast-check";
import { decodeCursor, encodeCursor } from "../../src/query/cursor.ts";
import type { Gap } from "../../src/query/query.ts";

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

const gaps: fc.Arbitrary<Gap> = fc.record({
  createdAt: fc.maxSafeInteger(),
  id: fc.string({ unit: fc.constantFrom(...ALPHABET), minLength: 1, maxLength: 64 }),
  side: fc.constantFrom("before", "after"),
});

/** A cursor with a right checksum, whatever its content. */
function forge(version: number, side: number, createdAt: bigint, id: string): string {
  const body = Buffer.concat([Buffer.from([side]), Buffer.alloc(8), Buffer.from(id)]);
  body.writeBigInt64BE(createdAt, 1);
  const head = Buffer.alloc(5);
  head[0] = version;
  head.writeUInt32BE(crc32(body), 1);
  return Buffer.concat([head, body]).toString("base64url");
}

describe("a cursor", () => {
  test("gives back the gap it was made of", () => {
    fc.assert(fc.property(gaps, (gap) => expect(decodeCursor(encodeCursor(gap))).toEqual(gap)));
  });

  test("needs no escaping in a URL", () => {
    fc.assert(fc.property(gaps, (gap) => expect(encodeCursor(gap)).toMatch(/^[A-Za-z0-9_-]+$/)));
  });

  test("is refused when any one character is another", () => {
    const replacement = fc.oneof(fc.constantFrom(...ALPHABET), fc.string({ unit: "binary" }));
    fc.assert(
      fc.property(gaps, fc.nat(), replacement, (gap, position, character) => {
        const cursor = encodeCursor(gap);
        const at = position % cursor.length;
        const damaged = cursor.slice(0, at) + character + cursor.slice(at + 1);
        fc.pre(damaged !== cursor);
        expect(decodeCursor(damaged)).toBeUndefined();
      }),
      { numRuns: 2000 },
    );
  });

  test("is refused when it was cut short", () => {
    const cursor = encodeCursor({ createdAt: 1_772_389_800_000, id: "match-1", side: "after" });
    for (let length = 0; length < cursor.length; length++) {
      expect(decodeCursor(cursor.slice(0, length))).toBeUndefined();
    }
  });

  test("is refused when it was invented", () => {
    fc.assert(fc.property(fc.string(), (text) => expect(decodeCursor(text)).toBeUndefined()));
    fc.assert(fc.property(fc.base64String(), (text) => expect(decodeCursor(text)).toBeUndefined()));
  });

  const forgeries: [why: string, cursor: string][] = [
    ["another version", forge(2, 0, 0n, "a")],
    ["a side that is neither", forge(1, 2, 0n, "a")],
    ["a time beyond the safe integers", forge(1, 0, 2n ** 53n, "a")],
    ["an empty id", forge(1, 0, 0n, "")],
    ["an id with a strange character", forge(1, 0, 0n, "a b")],
    ["an id that is too long", forge(1, 0, 0n, "a".repeat(65))],
    ["padding", `${forge(1, 0, 0n, "ab")}==`],
  ];
  test.each(forgeries)("is refused with a right checksum over %s", (_, cursor) => {
    expect(decodeCursor(cursor)).toBeUndefined();
  });

  test("stays readable from one release to the next", () => {
    expect(decodeCursor(forge(1, 1, 5n, "a"))).toEqual({ createdAt: 5, id: "a", side: "after" });
    expect(decodeCursor(forge(1, 0, -5n, "a"))).toEqual({ createdAt: -5, id: "a", side: "before" });
  });
});
