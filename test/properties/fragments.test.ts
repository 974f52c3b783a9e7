/** Properties of fragments: no loss, pieces can be joined. */

import { describe, expect, test } from "bun:test";
import { crc32, gunzipSync } from "node:zlib";
import fc from "fast-check";
import { canonicalList, canonicalResource } from "../../src/document/canonical.ts";
import { joinCrc } from "../../src/document/crc32.ts";
import { endOfOnlyBlock } from "../../src/document/deflate-block.ts";
import {
  literalPiece,
  type Piece,
  pieceOf,
  readFragment,
  withoutComma,
  writeFollowing,
  writeFragment,
} from "../../src/document/fragment.ts";
import { gzipBody, plainBody } from "../../src/document/join-pieces.ts";
import type { Json, Resource } from "../../src/domain/json.ts";
import { scaled } from "../support/scale.ts";
import { anyJson, reversed } from "./json.ts";

const anyText = fc.oneof(
  anyJson.map((value) => JSON.stringify(value)),
  fc.string({ unit: "binary", maxLength: 200 }),
  // Longer than one block of deflate, and hard or easy to compress.
  fc
    .tuple(fc.string({ unit: "binary", minLength: 1, maxLength: 50 }), fc.nat(3000))
    .map(([text, times]) => text.repeat(times)),
  fc.integer().map((seed) => noise(seed, 100_000)),
);

/** Text that hardly compresses. */
function noise(seed: number, length: number): string {
  let state = seed | 1;
  return Array.from({ length }, () => {
    state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9;
    return String.fromCharCode(32 + ((state >>> 8) % 95));
  }).join("");
}

/** The same bytes in the middle of a larger buffer. */
function inLarger(stored: Uint8Array): Uint8Array {
  const larger = new Uint8Array(stored.length + 20).fill(0xff);
  larger.set(stored, 7);
  return larger.subarray(7, 7 + stored.length);
}

/** Each way to encode a text as a piece. */
const anyPiece: fc.Arbitrary<[text: string, piece: Piece]> = fc
  .tuple(anyText, fc.constantFrom("stored", "after", "alone", "written", "literal"))
  .map(([text, way]) => {
    if (way === "stored") return [text, readFragment(inLarger(writeFragment(text)))];
    if (way === "after") return [`,${text}`, readFragment(inLarger(writeFollowing(text)))];
    if (way === "alone") return [text, withoutComma(readFragment(writeFollowing(text)))];
    return [text, way === "written" ? pieceOf(Buffer.from(text)) : literalPiece(text)];
  });

describe("fragments", () => {
  test("of equal texts are equal bytes, whatever is written between them", () => {
    fc.assert(
      fc.property(anyText, fc.array(anyText, { maxLength: 4 }), (text, others) => {
        const first = writeFragment(text);
        for (const other of others) writeFragment(other);
        expect(Buffer.compare(first, writeFragment(text))).toBe(0);
      }),
      { numRuns: scaled(30) },
    );
  });

  test("can be joined at whichever bit their block ends", () => {
    const ends = new Set<number>();
    for (let length = 80; length < 1000; length += 3) {
      const text = noise(length, length).replace(/[a-z]+/g, "winStreak");
      const found = endOfOnlyBlock(
        Bun.deflateSync(Buffer.from(text), { library: "libdeflate", level: 1 }),
      );
      if (found !== undefined) ends.add(found % 8);
      const pieces = [writeFragment(text), writeFragment("[]"), writeFragment(text)].map(
        readFragment,
      );
      expect(gunzipSync(gzipBody(pieces, "")).toString()).toBe(`${text}[]${text}`);
    }
    expect(ends.size).toBe(8);
  });

  test("are never much longer than their text", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const most = 1.001 * Buffer.byteLength(text) + 32;
        expect(writeFragment(text).length).toBeLessThanOrEqual(most);
      }),
    );
  });
});

describe("joined pieces", () => {
  test("give the joined texts, as gzip and uncompressed", () => {
    fc.assert(
      fc.property(fc.array(anyPiece, { maxLength: 8 }), anyText, (given, rest) => {
        const pieces = given.map(([, piece]) => piece);
        const whole = given.map(([text]) => text).join("") + rest;
        expect(Buffer.from(plainBody(pieces, rest)).toString() === whole).toBe(true);
        // Checks the CRC and the length in the trailer as well.
        expect(gunzipSync(gzipBody(pieces, rest)).toString() === whole).toBe(true);
      }),
    );
  });
});

// Joined pieces, above, are shorter.
test("CRC-32s can be joined over many megabytes", () => {
  const zeros = Buffer.alloc(40_000_003);
  const start = Buffer.from("start");
  expect(joinCrc(crc32(start), crc32(zeros), zeros.length)).toBe(crc32(zeros, crc32(start)));
});

/** Any value, as a resource carries it. */
const canonicalJson = (value: Json): string =>
  canonicalResource({ type: "any", id: "1", attributes: { value } });

describe("canonical JSON", () => {
  test("is another text for another value", () => {
    fc.assert(
      fc.property(anyJson, anyJson, (one, other) => {
        const isSame = canonicalJson(one) === canonicalJson(other);
        expect(isSame).toBe(Bun.deepEquals(one, other, true));
      }),
    );
  });

  test("of resources depends on neither the order nor the depth of members", () => {
    const resource = fc.record({
      type: fc.string(),
      id: fc.string(),
      attributes: anyJson,
      other: anyJson,
      another: anyJson,
    });
    fc.assert(
      fc.property(fc.array(resource, { maxLength: 3 }), (given) => {
        const list = given as unknown as Resource[];
        const turned = list.map((one) => reversed(one as unknown as Json) as unknown as Resource);
        expect(canonicalList(turned)).toBe(canonicalList(list));
        expect(turned.map(canonicalResource)).toEqual(list.map(canonicalResource));
        expect(JSON.parse(`[${canonicalList(list)}]`)).toStrictEqual(given);
        for (const text of list.map(canonicalResource)) expect(text).toStartWith('{"type":');
      }),
    );
  });
});
