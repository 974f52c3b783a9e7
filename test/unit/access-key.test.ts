/** The form of API keys; the header is tested in test/features/http-credentials.test.ts. */

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { hashKey, looksLikeKey, makeKey } from "../../src/access/key.ts";

const BASE62 = [..."0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"];

describe("a key", () => {
  test("has the prefix, 32 random characters and 6 of a checksum", () => {
    expect(makeKey()).toMatch(/^mb_[0-9A-Za-z]{38}$/);
  });

  test("looks like one, and no two are the same", () => {
    const keys = Array.from({ length: 1000 }, makeKey);
    expect(keys.every(looksLikeKey)).toBe(true);
    expect(new Set(keys).size).toBe(1000);
  });

  test("uses every character about as often", () => {
    const counts = new Map<string, number>();
    for (let round = 0; round < 4000; round++) {
      for (const character of makeKey().slice(3, 35)) {
        counts.set(character, (counts.get(character) ?? 0) + 1);
      }
    }
    const usual = (4000 * 32) / BASE62.length;
    // Taking bytes modulo 62 would give the first eight a quarter more.
    for (const character of BASE62) {
      expect(Math.abs((counts.get(character) ?? 0) / usual - 1)).toBeLessThan(0.15);
    }
  });

  test("with any one character changed does not look like a key", () => {
    const key = makeKey();
    for (let place = 0; place < key.length; place++) {
      for (const other of [...BASE62, "_", "-", " ", "é"]) {
        if (other === key[place]) continue;
        expect(looksLikeKey(key.slice(0, place) + other + key.slice(place + 1))).toBe(false);
      }
    }
  });

  test("cut short, made longer or with two neighbours swapped does not look like a key", () => {
    fc.assert(
      fc.property(fc.nat(39), (place) => {
        const key = makeKey();
        expect(looksLikeKey(key.slice(0, place))).toBe(false);
        expect(looksLikeKey(`${key}0`)).toBe(false);
        expect(looksLikeKey(`${key}\n`)).toBe(false);
        const swapped = key.slice(0, place) + key[place + 1] + key[place] + key.slice(place + 2);
        expect(swapped === key || !looksLikeKey(swapped)).toBe(true);
      }),
    );
  });

  test("is kept as its SHA-256", () => {
    expect(hashKey("abc")).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  });
});
