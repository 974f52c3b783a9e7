/** Properties of distinct counting: exact for few records, close for many, within a quota. */

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  COUNTED_EXACTLY,
  DistinctCounter,
  type Hash,
  Sketch,
} from "../../src/access/distinct-count.ts";
import { scaled } from "../support/scale.ts";

const NO_LIMIT = Number.MAX_SAFE_INTEGER;

/** Evenly distributed hashes, the same for the same seed. */
function hashesOf(seed: number): () => Hash {
  let [a, b, c, count] = [seed | 0, ~seed, 0x2545f491, 1];
  const next = (): number => {
    const sum = (a + b + count) | 0;
    count = (count + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + sum) | 0;
    return sum >>> 0;
  };
  for (let round = 0; round < 16; round++) next();
  return () => ({ high: next(), low: next() });
}

function several(seed: number, count: number): Hash[] {
  const next = hashesOf(seed);
  return Array.from({ length: count }, next);
}

/** One page at a time. */
function counterOf(hashes: readonly Hash[], page = 50): DistinctCounter {
  const counter = new DistinctCounter();
  for (let at = 0; at < hashes.length; at += page) {
    counter.addWithin(hashes.slice(at, at + page), NO_LIMIT);
  }
  return counter;
}

const different = (hashes: readonly Hash[]): number =>
  new Set(hashes.map(({ high, low }) => `${high} ${low}`)).size;

const anyHalf = fc.oneof(fc.integer({ min: 0, max: 2 ** 32 - 1 }), fc.integer({ min: 0, max: 8 }));
/** Some equal, some similar, some zero. */
const anyHashes = fc.array(fc.record({ high: anyHalf, low: anyHalf }), { maxLength: 120 });

const anySeed = fc.integer();

describe("counting distinct records", () => {
  test("is exact up to 1,024, whatever the hashes and however often each is added", () => {
    fc.assert(
      fc.property(anyHashes, fc.integer({ min: 1, max: 60 }), (hashes, page) => {
        const proper = hashes.filter(({ high, low }) => high !== 0 || low > 1);
        expect(counterOf([...proper, ...proper], page).count).toBe(different(proper));
      }),
    );
    for (const count of [COUNTED_EXACTLY - 1, COUNTED_EXACTLY]) {
      expect(counterOf(several(1, count)).count).toBe(count);
    }
  });

  test("distinguishes hashes that differ only in their last bit", () => {
    const counter = new DistinctCounter();
    const high = 0xffffffff;
    counter.addWithin(
      Array.from({ length: 40 }, (_, low) => ({ high, low })),
      NO_LIMIT,
    );
    expect(counter.count).toBe(40);
  });

  test("is unchanged by serialisation, and can continue", () => {
    const anyCount = fc.oneof(fc.nat(100), fc.integer({ min: 1000, max: 1050 }), fc.nat(6000));
    fc.assert(
      fc.property(anySeed, anyCount, fc.nat(300), (seed, count, more) => {
        const hashes = several(seed, count + more);
        const before = counterOf(hashes.slice(0, count));
        const restored = DistinctCounter.fromBytes(before.toBytes())!;
        expect(restored.count).toBe(before.count);
        for (const one of [before, restored]) one.addWithin(hashes.slice(count), NO_LIMIT);
        expect(restored.count).toBe(before.count);
      }),
      { numRuns: scaled(60) },
    );
  });

  test("does not accept other bytes", () => {
    const bytes = counterOf(several(1, 3)).toBytes();
    for (const wrong of [
      new Uint8Array(),
      Uint8Array.of(9),
      bytes.subarray(0, -1),
      Uint8Array.of(2, 0, 0),
      new Uint8Array(1 + 8 * (COUNTED_EXACTLY + 1)).fill(1),
    ]) {
      expect(DistinctCounter.fromBytes(wrong)).toBeUndefined();
    }
  });

  test("does not change when hashes are added again", () => {
    const anyCount = fc.oneof(fc.nat(200), fc.integer({ min: 1000, max: 6000 }));
    fc.assert(
      fc.property(anySeed, anyCount, (seed, count) => {
        const hashes = several(seed, count);
        const counter = counterOf(hashes);
        const bytes = counter.toBytes();
        // Also with a quota that is lower by now: these were served before.
        for (const hash of hashes) {
          const most = counter.count;
          expect(counter.addWithin([hash], most)).toBe(true);
        }
        expect(Buffer.compare(counter.toBytes(), bytes)).toBe(0);
      }),
      { numRuns: scaled(30) },
    );
  });
});

describe("a quota", () => {
  test("is never exceeded, and refusals change nothing", () => {
    // Also around the limit of exact counting, where the sketch takes over.
    const anyQuota = fc.oneof(
      fc.integer({ min: 0, max: 60 }),
      fc.integer({ min: COUNTED_EXACTLY - 20, max: COUNTED_EXACTLY + 80 }),
      fc.integer({ min: 1, max: 5000 }),
    );
    fc.assert(
      fc.property(anySeed, anyQuota, fc.integer({ min: 1, max: 50 }), (seed, most, page) => {
        const counter = new DistinctCounter();
        const next = hashesOf(seed);
        for (let served = 0; served < most * 1.2 + page; served += page) {
          const before = Buffer.from(counter.toBytes());
          const allowed = counter.addWithin(Array.from({ length: page }, next), most);
          expect(counter.count).toBeLessThanOrEqual(most);
          if (allowed) continue;
          expect(Buffer.compare(counter.toBytes(), before)).toBe(0);
        }
      }),
      { numRuns: scaled(60) },
    );
  });

  test("up to 1,024 is exact", () => {
    const hashes = several(7, COUNTED_EXACTLY + 1);
    const counter = counterOf(hashes.slice(0, COUNTED_EXACTLY - 1));
    expect(counter.addWithin(hashes.slice(-2), COUNTED_EXACTLY)).toBe(false);
    expect(counter.addWithin(hashes.slice(-2, -1), COUNTED_EXACTLY)).toBe(true);
    expect(counter.addWithin(hashes.slice(-1), COUNTED_EXACTLY)).toBe(false);
  });

  test("above that is accurate to 4 %", () => {
    for (let seed = 1; seed <= 20; seed++) {
      const counter = new DistinctCounter();
      const next = hashesOf(seed);
      let served = 0;
      while (counter.addWithin([next()], 20_000)) served += 1;
      expect(Math.abs(served / 20_000 - 1)).toBeLessThan(0.04);
    }
  });
});

describe("an estimate", () => {
  const SIZES = [1025, 1500, 3000, 10_000, 30_000, 100_000, 300_000];
  /** Five standard errors of 0.8 %. */
  const WORST = 0.04;

  /** The relative errors of one seed at each size. */
  function errors(seed: number, sizes: readonly number[]): number[] {
    const sketch = new Sketch();
    const next = hashesOf(seed);
    let added = 0;
    return sizes.map((size) => {
      for (; added < size; added++) sketch.add(next());
      return sketch.estimate() / size - 1;
    });
  }

  test("of up to 300,000 stays within five standard errors, without bias", () => {
    const all = Array.from({ length: 40 }, (_, seed) => errors(seed, SIZES)).flat();
    expect(Math.max(...all.map(Math.abs))).toBeLessThan(WORST);
    const mean = all.reduce((sum, error) => sum + error, 0) / all.length;
    expect(Math.abs(mean)).toBeLessThan(0.002);
    const square = all.reduce((sum, error) => sum + error ** 2, 0) / all.length;
    // As documented in the code.
    expect(Math.sqrt(square)).toBeLessThan(0.0085);
  });

  test("stays within them for any seed and size", () => {
    fc.assert(
      fc.property(anySeed, fc.integer({ min: COUNTED_EXACTLY, max: 30_000 }), (seed, size) => {
        expect(Math.abs(errors(seed, [size])[0]!)).toBeLessThan(WORST);
      }),
    );
  });

  test("of no hashes is 0", () => {
    expect(new Sketch().estimate()).toBe(0);
  });

  test("is restored when steps are undone in reverse", () => {
    fc.assert(
      fc.property(anySeed, fc.nat(3000), fc.nat(50), (seed, count, more) => {
        const hashes = several(seed, count + more);
        const sketch = new Sketch();
        for (const hash of hashes.slice(0, count)) sketch.add(hash);
        const before = sketch.estimate();
        const steps = hashes.slice(count).flatMap((hash) => sketch.add(hash) ?? []);
        for (const step of steps.reverse()) sketch.undo(step);
        expect(sketch.estimate()).toBe(before);
      }),
      { numRuns: scaled(40) },
    );
  });
});
