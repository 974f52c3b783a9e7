/**
 * Token buckets in memory that several processes share. A bucket is one word of 64 bits,
 * changed by compare-and-exchange: no process ever waits for another, and one that is killed leaves
 * nothing half done.
 */

import {
  type Bucket,
  DROPS,
  type Policy,
  secondsToToken,
  take,
  type Verdict,
} from "../access/rate-limit.ts";

/**
 * A word is the moment at which the bucket will be full, so that zero is a full one. It is counted in
 * sixteenths of a nanosecond: fine enough that the whole number of drops can be told from it, up to ten
 * million requests a minute, and enough for 18 years. When the rate of a key is changed, the time
 * until its bucket is full stays.
 */
const UNITS = 16_000_000;
const LATEST = 2n ** 63n - 1n;

export class SharedBuckets {
  readonly #words: BigInt64Array;

  /** One word for each bucket. */
  constructor(words: BigInt64Array) {
    this.#words = words;
  }

  get count(): number {
    return this.#words.length;
  }

  /** Takes one token, if there is one. `nowMs` is of the clock that all processes share. */
  take(at: number, policy: Policy, nowMs: number): Verdict {
    for (;;) {
      const word = Atomics.load(this.#words, at);
      const verdict = take(bucketOf(word, policy, nowMs), policy, nowMs);
      if (!verdict.allowed) return verdict;
      const next = wordOf(verdict.bucket, policy);
      // More than eight years from full: later than can be written down, and so no more is lent.
      if (next > LATEST) return { ...verdict, allowed: false };
      if (Atomics.compareExchange(this.#words, at, word, next) === word) return verdict;
    }
  }

  /** Seconds until there is a token; 0 when there is one now. */
  wait(at: number, policy: Policy, nowMs: number): number {
    return secondsToToken(bucketOf(Atomics.load(this.#words, at), policy, nowMs), policy, nowMs);
  }
}

/** Undefined stands for a full one. */
function bucketOf(word: bigint, policy: Policy, nowMs: number): Bucket | undefined {
  const at = Math.floor(nowMs);
  const untilFull = Number(word - BigInt(at) * BigInt(UNITS));
  if (untilFull <= 0) return undefined;
  const missing = Math.round((untilFull * policy.rate) / UNITS);
  return { drops: Math.max(0, policy.burst * DROPS - missing), at };
}

function wordOf({ drops, at }: Bucket, { rate, burst }: Policy): bigint {
  const untilFull = Math.round(((burst * DROPS - drops) * UNITS) / rate);
  return BigInt(at) * BigInt(UNITS) + BigInt(untilFull);
}
