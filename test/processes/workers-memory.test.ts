/** Tests the memory that workers share: concurrent use loses nothing and counts nothing twice. */

import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import fc from "fast-check";
import { MemoryLimiter } from "../../src/access/rate-limit.ts";
import {
  machineClock,
  newSharedMemory,
  SharedBuckets,
  SharedLimiter,
} from "../../src/workers/shared-limits.ts";

// Several processes may share a slow machine.
const SCRIPT = join(import.meta.dir, "../support/sharing-process.ts");

/** The results of several processes that did the same in the same memory at once. */
async function atOnce(memory: number, job: string, number = 0, processes = 4): Promise<number[]> {
  const children = Array.from({ length: processes }, () => {
    const child = Bun.spawn([process.execPath, SCRIPT, job, String(number)], {
      stdio: ["pipe", "pipe", "inherit", memory],
    });
    return { begin: () => child.stdin.end(), output: linesOf(child.stdout) };
  });
  for (const { output } of children) expect((await output.next()).value).toBe("ready");
  for (const { begin } of children) begin();
  return Promise.all(children.map(async ({ output }) => Number((await output.next()).value)));
}

async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const piece of stream) {
    const lines = (text + decoder.decode(piece, { stream: true })).split("\n");
    text = lines.pop()!;
    yield* lines;
  }
}

const sumOf = (numbers: readonly number[]) => numbers.reduce((sum, one) => sum + one, 0);

const limiterWith = (slots: number) =>
  new SharedLimiter(new BigInt64Array(slots), new SharedBuckets(new BigInt64Array(slots)));

describe("a bucket", () => {
  test("gives out each token once, to whichever process is first", async () => {
    const passed = await atOnce(newSharedMemory(), "take", 200_000);
    // One more token may have been refilled, if this took a minute.
    expect([200_000, 200_001]).toContain(sumOf(passed));
  });

  test("makes the same decisions as one in the memory of a process", () => {
    const rates = fc.integer({ min: 1, max: 10_000_000 });
    // Mostly few enough to run out.
    const bursts = fc.oneof(fc.integer({ min: 1, max: 20 }), rates);
    const policies = fc.record({
      rate: fc.oneof(fc.integer({ min: 1, max: 500 }), rates),
      burst: bursts,
    });
    // Up to a few years of uptime, in steps of up to a few minutes.
    const starts = fc.integer({ min: 0, max: 1e11 });
    const steps = fc.array(
      fc.oneof(fc.double({ min: 0, max: 3, noNaN: true }), fc.nat(200_000), fc.constant(0)),
      { minLength: 1, maxLength: 60 },
    );
    fc.assert(
      fc.property(policies, starts, steps, (policy, start, pauses) => {
        const [shared, own] = [limiterWith(16), new MemoryLimiter()];
        let now = start;
        for (const pause of pauses) {
          now += pause;
          const { bucket: _, ...verdict } = { bucket: 0, ...own.take("k_one", policy, now) };
          expect(shared.take("k_one", policy, now)).toMatchObject(verdict);
        }
      }),
    );
  });

  test("of a key whose rate changes is full after the same time", () => {
    const limiter = limiterWith(16);
    const before = { rate: 60, burst: 60 };
    const after = { rate: 600, burst: 600 };
    for (let time = 0; time < 30; time++) limiter.take("k_one", before, 1000);
    expect(limiter.take("k_one", after, 1000)).toMatchObject({
      allowed: true,
      remaining: 299,
      resetSeconds: 31,
    });
  });

  test("of a key that was limited is never emptier than empty when its rate is raised", () => {
    const limiter = limiterWith(16);
    const before = { rate: 1, burst: 100 };
    const after = { rate: 600, burst: 600 };
    for (let time = 0; time < 100; time++) limiter.take("k_one", before, 1000);
    expect(limiter.take("k_one", before, 1000).allowed).toBe(false);
    // The bucket would be full after 100 minutes.
    expect(limiter.take("k_one", after, 2000)).toMatchObject({
      allowed: false,
      retryAfterSeconds: 1,
      resetSeconds: 60,
    });
    expect(limiter.take("k_one", after, 3000)).toMatchObject({ allowed: true, remaining: 9 });
  });

  test("allows nothing that would take longer to refill than can be stored", () => {
    const limiter = limiterWith(16);
    const policy = { rate: 1, burst: 100_000_000 };
    const year = 365.25 * 86_400_000;
    expect(limiter.take("k_one", policy, 18 * year).allowed).toBe(true);
    expect(limiter.take("k_one", policy, 19 * year).allowed).toBe(false);
  });
});

test("each key has a bucket of its own, until there are more keys than slots", () => {
  const limiter = limiterWith(4);
  const policy = { rate: 1, burst: 10 };
  const passed = (keyId: string) =>
    Array.from({ length: 20 }, () => limiter.take(keyId, policy, 0)).filter(
      ({ allowed }) => allowed,
    ).length;
  expect(["k_a", "k_b", "k_c", "k_d", "k_e"].map(passed)).toEqual([10, 10, 10, 10, 0]);
});

test("all processes have the same clock", async () => {
  const clock = machineClock();
  const before = clock();
  const [reported] = await atOnce(newSharedMemory(), "clock", 0, 1);
  // The system rounds to ten milliseconds.
  expect(reported!).toBeGreaterThan(before - 10);
  expect(reported!).toBeLessThan(clock() + 10);
});
