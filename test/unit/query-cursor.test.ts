import { describe, expect, test } from "bun:test";
import { crc32 } from "node:zlib";
import fc from "fast-check";
import { decodeCursor, encodeCursor } from "../../src/query/cursor.ts";
import type { Cursor } from "../../src/query/query.ts";
import { scaled } from "../support/scale.ts";

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

const ids = fc.string({ unit: fc.constantFrom(...ALPHABET), minLength: 1, maxLength: 64 });

const cursors: fc.Arbitrary<Cursor> = fc.record(
  {
    createdAt: fc.maxSafeInteger(),
    id: ids,
    side: fc.constantFrom("before", "after"),
    sequence: fc.maxSafeNat(),
    resolvedNames: fc.record({
      names: fc.nat(0xffffffff),
      players: fc.array(ids, { maxLength: 3 }),
      teams: fc.array(ids, { maxLength: 3 }),
    }),
  },
  { requiredKeys: ["createdAt", "id", "side"] },
);

/** A cursor with a valid checksum and any content. */
function forge(version: number, side: number, createdAt: bigint, id: string): string {
  const body = Buffer.concat([Buffer.from([side]), Buffer.alloc(8), Buffer.from(id)]);
  body.writeBigInt64BE(createdAt, 1);
  const head = Buffer.alloc(5);
  head[0] = version;
  head.writeUInt32BE(crc32(body), 1);
  return Buffer.concat([head, body]).toString("base64url");
}

describe("a cursor", () => {
  test("decodes to what was encoded", () => {
    fc.assert(fc.property(cursors, (one) => expect(decodeCursor(encodeCursor(one))).toEqual(one)));
  });

  test("with any one character changed is refused", () => {
    const replacement = fc.oneof(fc.constantFrom(...ALPHABET), fc.string({ unit: "binary" }));
    fc.assert(
      fc.property(cursors, fc.nat(), replacement, (one, position, character) => {
        const cursor = encodeCursor(one);
        const at = position % cursor.length;
        const damaged = cursor.slice(0, at) + character + cursor.slice(at + 1);
        fc.pre(damaged !== cursor);
        expect(decodeCursor(damaged)).toBeUndefined();
      }),
      { numRuns: scaled(2000) },
    );
  });

  test("that is made up is refused", () => {
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
    ["a sequence that is not a number", forge(1, 0, 0n, "a NaN")],
    ["a sequence spelled otherwise", forge(1, 0, 0n, "a 07")],
    ["a sequence below zero", forge(1, 0, 0n, "a -1")],
    ["a sequence beyond the safe integers", forge(1, 0, 0n, "a 9007199254740992")],
    ["two sequences", forge(1, 0, 0n, "a 7 8")],
    ["more words than there are", forge(1, 0, 0n, "a 7 z p t more")],
  ];
  test.each(forgeries)("is refused with a valid checksum over %s", (_, cursor) => {
    expect(decodeCursor(cursor)).toBeUndefined();
  });

  test("stays readable from one release to the next", () => {
    expect(decodeCursor(forge(1, 1, 5n, "a"))).toEqual({ createdAt: 5, id: "a", side: "after" });
    expect(decodeCursor(forge(1, 0, -5n, "a"))).toEqual({ createdAt: -5, id: "a", side: "before" });
    const gap = { createdAt: 5, id: "a", side: "after" } as const;
    const resolvedNames = { names: 35, players: ["p", "q"], teams: [] };
    expect(decodeCursor(forge(1, 1, 5n, "a z p,q "))).toEqual({ ...gap, resolvedNames });
    expect(decodeCursor(forge(1, 1, 5n, "a 7"))).toEqual({ ...gap, sequence: 7 });
    expect(decodeCursor(forge(1, 1, 5n, "a 7 z p,q "))).toEqual({
      ...gap,
      sequence: 7,
      resolvedNames,
    });
  });
});
