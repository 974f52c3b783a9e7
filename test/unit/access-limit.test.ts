/** Rate limit arithmetic, with a test clock. */

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  type Bucket,
  DROPS,
  MemoryLimiter,
  type Policy,
  take,
} from "../../src/access/rate-limit.ts";

const policies = fc.record({
  rate: fc.oneof(fc.integer({ min: 1, max: 200 }), fc.integer({ min: 1, max: 1_000_000 })),
  burst: fc.integer({ min: 1, max: 300 }),
});
const moments = fc.double({ min: 0, max: 1e9, noNaN: true });

/** Takes tokens until one is refused; returns the count and the refusal. */
function drain(policy: Policy, now: number, start?: Bucket) {
  let passed = 0;
  let reply = take(start, policy, now);
  while (reply.allowed) {
    passed++;
    reply = take(reply.bucket, policy, now);
  }
  return { passed, refusal: reply };
}

describe("a bucket", () => {
  test("allows exactly as many requests at once as its capacity", () => {
    fc.assert(
      fc.property(policies, moments, (policy, now) => {
        expect(drain(policy, now).passed).toBe(policy.burst);
      }),
    );
  });

  test("allows a request after Retry-After seconds, and not one second earlier", () => {
    fc.assert(
      fc.property(policies, fc.nat(1e9), fc.nat(5000), (policy, start, later) => {
        const now = start + later;
        const { refusal } = drain(policy, now, drain(policy, start).refusal.bucket);
        const wait = refusal.retryAfterSeconds;
        expect(wait).toBeGreaterThanOrEqual(1);
        expect(take(refusal.bucket, policy, now + wait * 1000).allowed).toBe(true);
        expect(take(refusal.bucket, policy, now + (wait - 1) * 1000).allowed).toBe(false);
      }),
    );
  });

  test("is full after the reported seconds, and not one second earlier", () => {
    fc.assert(
      fc.property(policies, fc.nat(1e9), fc.nat(400), (policy, now, requests) => {
        let reply = take(undefined, policy, now);
        for (let sent = 0; sent < requests; sent++) reply = take(reply.bucket, policy, now);
        const { bucket, resetSeconds } = reply;
        const dropsAfter = (seconds: number) => {
          const later = take(bucket, policy, now + seconds * 1000);
          return later.bucket.drops + (later.allowed ? DROPS : 0);
        };
        expect(dropsAfter(resetSeconds)).toBe(policy.burst * DROPS);
        expect(dropsAfter(resetSeconds - 1)).toBeLessThan(policy.burst * DROPS);
      }),
    );
  });

  test("never allows more requests than its capacity plus the refill", () => {
    fc.assert(
      fc.property(policies, fc.array(fc.nat(3000), { maxLength: 300 }), (policy, pauses) => {
        let bucket: Bucket | undefined;
        let now = 0;
        let passed = 0;
        for (const pause of pauses) {
          now += pause;
          const reply = take(bucket, policy, now);
          bucket = reply.bucket;
          if (reply.allowed) passed++;
        }
        expect(passed).toBeLessThanOrEqual(policy.burst + (now * policy.rate) / 60_000);
      }),
    );
  });

  test("allows every request of a caller at exactly the rate, for hours", () => {
    const policy = { rate: 7, burst: 2 };
    let bucket: Bucket | undefined;
    for (let sent = 0; sent < 10_000; sent++) {
      const reply = take(bucket, policy, Math.ceil((sent * 60_000) / 7));
      expect(reply.allowed).toBe(true);
      bucket = reply.bucket;
    }
  });

  test("refills nothing when the clock steps back", () => {
    const empty = { drops: 30_000, at: 5000 };
    expect(take(empty, { rate: 60, burst: 60 }, 0)).toMatchObject({
      ...{ allowed: false, remaining: 0, resetSeconds: 60, retryAfterSeconds: 1 },
    });
  });

  test("a new rate applies from the next request on", () => {
    const { refusal } = drain({ rate: 1, burst: 1 }, 0);
    expect(drain({ rate: 600, burst: 600 }, 1000, refusal.bucket).passed).toBe(10);
  });
});

describe("the limiter", () => {
  test("never stores more buckets than its size", () => {
    const limiter = new MemoryLimiter(10);
    const once = { rate: 60, burst: 1 };
    const keys = Array.from({ length: 100 }, (_, number) => `k${number}`);
    for (const key of keys) limiter.take(key, once, 0);
    expect(keys.filter((key) => limiter.wait(key, once, 0) > 0)).toHaveLength(10);
  });
});
