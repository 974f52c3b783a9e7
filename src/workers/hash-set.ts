/**
 * In charge of a set of hashes in memory that several processes share, which nothing leaves. Each takes
 * one word of 64 bits, put there in one step.
 */

import type { Hash } from "../access/sketch.ts";

export class HashSet {
  readonly #words: BigInt64Array;
  readonly #count: Int32Array;

  /** With room for more than so many: it works best when at least half of it is free. */
  static bytesFor(count: number): number {
    return 2 * count * BigInt64Array.BYTES_PER_ELEMENT;
  }

  /** Both all zeros at first; `count` is one number. */
  constructor({ buffer, byteOffset, byteLength }: Uint8Array, count: Int32Array) {
    this.#words = new BigInt64Array(buffer, byteOffset, byteLength / 8);
    this.#count = count;
  }

  get count(): number {
    return Atomics.load(this.#count, 0);
  }

  /** How many different ones of these are not there yet. */
  countMissing(hashes: readonly Hash[]): number {
    const missing: bigint[] = [];
    for (const hash of hashes) {
      const word = wordOf(hash);
      const at = this.#find(word, hash.low);
      if (at !== undefined && Atomics.load(this.#words, at) === word) continue;
      if (!missing.includes(word)) missing.push(word);
    }
    return missing.length;
  }

  /** The hash may not be all zeros. False when there is no room left. */
  add(hash: Hash): boolean {
    const word = wordOf(hash);
    for (;;) {
      const at = this.#find(word, hash.low);
      if (at === undefined) return false;
      const before = Atomics.compareExchange(this.#words, at, 0n, word);
      if (before === word) return true;
      // Another process has just taken the place: further on there are more.
      if (before !== 0n) continue;
      Atomics.add(this.#count, 0, 1);
      return true;
    }
  }

  *[Symbol.iterator](): Iterator<Hash> {
    for (const word of this.#words) if (word !== 0n) yield hashOf(word);
  }

  /** Where the word is, or the empty place where it would be; undefined when all are taken. */
  #find(word: bigint, start: number): number | undefined {
    const places = this.#words.length;
    for (let step = 0; step < places; step++) {
      const at = (start + step) % places;
      const there = Atomics.load(this.#words, at);
      if (there === word || there === 0n) return at;
    }
    return undefined;
  }
}

// The two halves of one word: cheaper than to shift and to add.
const halves = new Uint32Array(2);
const whole = new BigInt64Array(halves.buffer);

function wordOf({ high, low }: Hash): bigint {
  halves[0] = low;
  halves[1] = high;
  return whole[0]!;
}

function hashOf(word: bigint): Hash {
  whole[0] = word;
  return { high: halves[1]!, low: halves[0]! };
}
