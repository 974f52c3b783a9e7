/** In charge of the properties of deflated pieces: nothing is lost, they join, and none is too long. */

import { describe, expect, test } from "bun:test";
import { constants, inflateRawSync } from "node:zlib";
import fc from "fast-check";
import { deflate } from "../../src/document/deflate.ts";
import { anyJson } from "./json.ts";

const inflate = (deflated: Uint8Array) =>
  inflateRawSync(deflated, { finishFlush: constants.Z_SYNC_FLUSH });

const isSame = (one: Uint8Array, other: Uint8Array) => Buffer.compare(one, other) === 0;

/** Words that come again and again, near and far, with something else between them. */
const anyRepetition = fc
  .tuple(
    fc.array(fc.uint8Array({ minLength: 1, maxLength: 40 }), { minLength: 1, maxLength: 8 }),
    fc.array(fc.tuple(fc.nat(), fc.integer({ min: 1, max: 400 })), { maxLength: 60 }),
  )
  .map(([words, picks]) =>
    Buffer.concat(
      picks.flatMap(([pick, times]) => {
        const word = words[pick % words.length]!;
        return pick % 7 === 0 ? Array.from({ length: times }, () => word) : [word];
      }),
    ),
  );

/** Few different bytes, drawn unevenly, so that their codes become as long as codes may be. */
const anySkew = fc
  .tuple(fc.integer(), fc.integer({ min: 1, max: 60_000 }), fc.integer({ min: 2, max: 256 }))
  .map(([seed, length, values]) => {
    let state = seed | 1;
    return Uint8Array.from({ length }, () => {
      state = (Math.imul(state, 1664525) + 1013904223) | 0;
      return Math.clz32(state) * 11 + ((state >>> 8) % values === 0 ? state & 0xff : 0);
    });
  });

const anyNoise = fc
  .tuple(fc.integer(), fc.integer({ min: 0, max: 200_000 }))
  .map(([seed, length]) => {
    let state = seed | 1;
    return Uint8Array.from({ length }, () => {
      state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) | 0;
      return state >>> 24;
    });
  });

const anyPlain = fc.oneof(
  anyJson.map((value) => Buffer.from(JSON.stringify(value))),
  fc.array(anyJson, { maxLength: 40 }).map((values) => Buffer.from(JSON.stringify(values))),
  fc.uint8Array({ maxLength: 3000 }),
  fc.string({ unit: "binary", maxLength: 600 }).map((text) => Buffer.from(text)),
  anyRepetition,
  anySkew,
  anyNoise,
);

describe("deflated pieces", () => {
  test("inflate to what they were made from", () => {
    fc.assert(
      fc.property(anyPlain, (plain) => {
        expect(isSame(inflate(deflate(plain)), plain)).toBe(true);
      }),
      { numRuns: 400 },
    );
  });

  test("laid one after another inflate to the texts one after another", () => {
    fc.assert(
      fc.property(fc.array(anyPlain, { maxLength: 6 }), (plains) => {
        const joined = Buffer.concat(plains.map((plain) => deflate(plain)));
        expect(isSame(inflate(joined), Buffer.concat(plains))).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  test("end in an empty block, and begin with one that is not the last", () => {
    fc.assert(
      fc.property(anyPlain, (plain) => {
        const piece = deflate(plain);
        expect([...piece.subarray(-4)]).toEqual([0, 0, 0xff, 0xff]);
        expect(piece[0]! & 1).toBe(0);
      }),
      { numRuns: 60 },
    );
  });

  test("are never much longer than the text", () => {
    fc.assert(
      fc.property(anyPlain, (plain) => {
        const most = plain.length + 5 * Math.ceil(plain.length / 65535) + 5;
        expect(deflate(plain).length).toBeLessThanOrEqual(most);
      }),
    );
  });

  test("of equal texts are equal, whatever was deflated between them", () => {
    fc.assert(
      fc.property(anyPlain, fc.array(anyPlain, { maxLength: 4 }), (plain, others) => {
        const before = deflate(plain);
        for (const other of others) deflate(other);
        expect(isSame(deflate(Uint8Array.from(plain)), before)).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  test("do not change when others are made, nor change the text", () => {
    fc.assert(
      fc.property(anyPlain, anyPlain, (plain, other) => {
        const copy = Uint8Array.from(plain);
        const piece = deflate(plain);
        const kept = piece.slice();
        deflate(other);
        expect(isSame(piece, kept)).toBe(true);
        expect(isSame(plain, copy)).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  test("leave the room that was asked for in front of them", () => {
    fc.assert(
      fc.property(anyPlain, fc.nat(40), (plain, room) => {
        const piece = deflate(plain, room);
        expect(isSame(piece.subarray(room), deflate(plain))).toBe(true);
      }),
      { numRuns: 60 },
    );
  });
});
