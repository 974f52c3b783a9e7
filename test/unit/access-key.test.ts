/** The format of API keys; test/features/http-credentials.test.ts covers the header. */

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { hashKey, looksLikeKey, makeKey } from "../../src/access/key.ts";

const BASE62 = [..."0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"];

describe("a key", () => {
  test("passes the check, and no two are equal", () => {
    const keys = Array.from({ length: 1000 }, makeKey);
    expect(keys.every(looksLikeKey)).toBe(true);
    expect(new Set(keys).size).toBe(1000);
  });

  test("uses all characters about equally often", () => {
    const counts = new Map<string, number>();
    for (let round = 0; round < 4000; round++) {
      for (const character of makeKey().slice(3, 35)) {
        counts.set(character, (counts.get(character) ?? 0) + 1);
      }
    }
    const usual = (4000 * 32) / BASE62.length;
    // Bytes modulo 62 would favour the first eight characters by a quarter.
    for (const character of BASE62) {
      expect(Math.abs((counts.get(character) ?? 0) / usual - 1)).toBeLessThan(0.15);
    }
  });

  test("with any one character changed fails the check", () => {
    const key = makeKey();
    for (let place = 0; place < key.length; place++) {
      for (const other of [...BASE62, "_", "-", " ", "é"]) {
        if (other === key[place]) continue;
        expect(looksLikeKey(key.slice(0, place) + other + key.slice(place + 1))).toBe(false);
      }
    }
  });

  test("shortened, lengthened or with two swapped neighbours fails the check", () => {
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

  test("is stored as its SHA-256 hash", () => {
    expect(hashKey("abc")).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  });
});
