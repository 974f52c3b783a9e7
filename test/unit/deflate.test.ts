/** In charge of deflate's edge cases: the shortest texts, the longest matches, the borders of blocks. */

import { describe, expect, test } from "bun:test";
import { constants, deflateRawSync, inflateRawSync } from "node:zlib";
import { demoDocuments } from "../../src/demo/demo.ts";
import { deflate } from "../../src/document/deflate.ts";
import { ReadyCodes } from "../../src/document/deflate-codes.ts";
import { assignCodes, codeLengths } from "../../src/document/huffman.ts";
import { TRAINED } from "../../src/document/trained.ts";

function expectWhole(plain: Uint8Array): Uint8Array {
  const piece = deflate(plain);
  const inflated = inflateRawSync(piece, { finishFlush: constants.Z_SYNC_FLUSH });
  expect(Buffer.compare(inflated, plain)).toBe(0);
  return piece;
}

/** Bytes without repetition. */
function noise(length: number): Uint8Array {
  let state = 1;
  return Uint8Array.from({ length }, () => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) | 0;
    return state >>> 24;
  });
}

describe("deflate", () => {
  test("makes nothing but the empty block of an empty text", () => {
    expect([...expectWhole(new Uint8Array(0))]).toEqual([0, 0, 0, 0xff, 0xff]);
  });

  test("takes every single byte, and every pair of a kind", () => {
    for (let byte = 0; byte < 256; byte++) {
      expectWhole(Uint8Array.of(byte));
      expectWhole(Uint8Array.of(byte, byte));
    }
  });

  test("takes every length up to a few hundred, of repetition, text and noise", () => {
    const text = Buffer.from('{"type":"player","id":"a7","name":"Ada","wins":12},'.repeat(9));
    const random = noise(400);
    for (let length = 0; length <= 400; length++) {
      expectWhole(new Uint8Array(length).fill(0x61));
      expectWhole(text.subarray(0, length));
      expectWhole(random.subarray(0, length));
    }
  });

  test("copies runs around the longest match", () => {
    for (let length = 250; length <= 270; length++) {
      const run = expectWhole(new Uint8Array(length + 1).fill(0x2e));
      expect(run.length).toBeLessThan(30);
      const word = noise(length);
      expectWhole(Buffer.concat([word, Buffer.from("|"), word, word]));
    }
  });

  test("reaches back as far as its text and a reader's memory go", () => {
    const word = Buffer.from("a word of some length, to be found again");
    for (const window of [16384, 32768]) {
      for (const off of [-2, -1, 0, 1, 2]) {
        const between = noise(window - word.length + off);
        expectWhole(Buffer.concat([word, between, word]));
        expectWhole(Buffer.concat([word, between.subarray(word.length), word]));
      }
    }
  });

  test("takes texts around the length of a block, and many blocks long", () => {
    const member = Buffer.from('{"id":"3f9a3a6c-5a5b","kills":7,"deaths":12},');
    for (const length of [
      16383, 16384, 16385, 32767, 32768, 65534, 65535, 65536, 65537, 131070, 131071, 3_000_000,
    ]) {
      const text = Buffer.alloc(length, member);
      expect(expectWhole(text).length).toBeLessThan(length / 20);
      const random = noise(Math.min(length, 131071));
      const most = random.length + 5 * Math.ceil(random.length / 65535) + 5;
      expect(expectWhole(random).length).toBeLessThanOrEqual(most);
    }
  });

  test("makes codes for texts that are not like those it was trained with", () => {
    const capitals = Buffer.from(Array.from(noise(4000), (byte) => "ÄÖÜßEQXJ"[byte & 7]).join(""));
    const zlib = deflateRawSync(capitals, { finishFlush: constants.Z_FULL_FLUSH });
    expect(expectWhole(capitals).length).toBeLessThan(1.1 * zlib.length);
  });

  test("comes close to zlib with records", () => {
    let ours = 0;
    let zlibs = 0;
    for (const document of demoDocuments({ matches: 40, seed: 3, until: Date.UTC(2026, 0, 1) })) {
      const plain = Buffer.from(JSON.stringify(document));
      ours += expectWhole(plain).length;
      zlibs += deflateRawSync(plain, { finishFlush: constants.Z_FULL_FLUSH }).length;
    }
    expect(ours).toBeLessThan(1.1 * zlibs);
  });
});

/** A code is complete when it leaves no sequence of bits unused. */
const fullness = (lengths: Iterable<number>) =>
  [...lengths].reduce((sum, length) => sum + (length === 0 ? 0 : 2 ** -length), 0);

describe("codes", () => {
  test("are complete and no longer than allowed, however uneven the counts", () => {
    const fibonacci = [1, 1];
    while (fibonacci.length < 30) fibonacci.push(fibonacci.at(-1)! + fibonacci.at(-2)!);
    for (const used of [0, 1, 2, 3, 10, 20, 30]) {
      const counts = new Int32Array(30);
      for (let at = 0; at < used; at++) counts[at] = fibonacci[at]!;
      for (const longest of [7, 11, 15]) {
        const lengths = new Uint8Array(30);
        codeLengths(counts, longest, lengths);
        expect(fullness(lengths)).toBe(1);
        expect(Math.max(...lengths)).toBeLessThanOrEqual(longest);
        for (let at = 0; at < used; at++) expect(lengths[at]).toBeGreaterThan(0);
      }
    }
  });

  test("are shorter for what occurs more often", () => {
    const counts = Int32Array.from({ length: 286 }, (_, symbol) => (symbol * symbol) % 1009);
    const lengths = new Uint8Array(286);
    codeLengths(counts, 12, lengths);
    for (let one = 0; one < 286; one++) {
      for (let other = 0; other < 286; other++) {
        if (counts[one]! > counts[other]! && counts[other]! > 0) {
          expect(lengths[one]!).toBeLessThanOrEqual(lengths[other]!);
        }
      }
    }
  });

  test("are those of the standard's example", () => {
    // RFC 1951, 3.2.2: the codes of A to H, there with the most significant bit first.
    const codes = new Int32Array(8);
    assignCodes(Uint8Array.of(3, 3, 3, 3, 3, 2, 4, 4), codes);
    const written = Array.from(codes, (code) => {
      const bits = (code >> 4).toString(2).padStart(code & 15, "0");
      return [...bits].reverse().join("");
    });
    expect(written).toEqual(["010", "011", "100", "101", "110", "00", "1110", "1111"]);
  });

  test("that were trained are complete, fit into a word, and have all that a text may need", () => {
    for (const [name, digits] of Object.entries(TRAINED)) {
      const [literals, distances] = digits.map((lengths) =>
        Uint8Array.from(lengths, (digit) => Number.parseInt(digit, 16)),
      );
      expect([literals!.length, distances!.length]).toEqual([286, 30]);
      expect([fullness(literals!), fullness(distances!)]).toEqual([1, 1]);
      expect(Math.max(...literals!)).toBeLessThanOrEqual(12);
      expect(Math.max(...distances!)).toBeLessThanOrEqual(11);
      const needed = name.startsWith("wide")
        ? literals!
        : [...literals!.slice(32, 127), ...literals!.slice(256)];
      expect(Math.min(...needed, ...distances!)).toBeGreaterThan(0);
      expect(new ReadyCodes(literals!, distances!).headerBits).toBeLessThan(8 * 100);
    }
  });
});
