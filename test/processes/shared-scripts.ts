/** The Redis scripts decide exactly as the same rules in memory. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { RedisClient } from "bun";
import fc from "fast-check";
import { MemoryQuotas } from "../../src/access/quota.ts";
import { MemoryLimiter, type Policy, verdictOn } from "../../src/access/rate-limit.ts";
import { RedisLimiter, RedisQuotas } from "../../src/access/redis/limits.ts";
import { RedisLink } from "../../src/access/redis/link.ts";
import { takeScript } from "../../src/access/redis/scripts.ts";
import { unobserved } from "../../src/observe/events.ts";
import { startRedis, type TestRedis } from "../support/redis.ts";
import { scaled } from "../support/scale.ts";

let redis: TestRedis;
let client: RedisClient;
let link: RedisLink;

beforeAll(async () => {
  redis = await startRedis();
  client = redis.client();
  // Not a test of timeouts, and the machine may be busy.
  link = new RedisLink(redis.url, unobserved, 10_000);
  await link.open();
});
afterAll(async () => {
  link.close();
  client.close();
  await redis.remove();
});

/** The time of the test, at which keys do not expire; Redis would use its own clock. */
const TIME_OF_THE_TEST = `
local now = tonumber(ARGV[3])
local real = redis
local redis = {call = function(name, key, value)
  if name == "SET" then return real.call("SET", key, value) end
  return real.call(name, key)
end}`;

describe("a bucket in Redis", () => {
  const policies = fc.record({
    rate: fc.oneof(fc.integer({ min: 1, max: 200 }), fc.integer({ min: 1, max: 100_000_000 })),
    burst: fc.oneof(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 100_000_000 })),
  });
  const steps = fc.array(fc.integer({ min: -50, max: 40_000 }), { minLength: 1, maxLength: 30 });
  let count = 0;

  test("decides like a bucket in memory, whatever the policy and the times", async () => {
    const script = takeScript(TIME_OF_THE_TEST);
    await client.send("SCRIPT", ["LOAD", script.text]);
    const inRedis = async (key: string, policy: Policy, now: number) => {
      const values = [policy.rate, policy.burst, now].map(String);
      const answer = await client.send("EVALSHA", [script.hash, "1", key, ...values]);
      const [allowed, drops] = answer as [number, number];
      return verdictOn(allowed === 1, drops, policy);
    };
    await fc.assert(
      fc.asyncProperty(policies, policies, steps, async (first, second, waits) => {
        const key = `test:${count++}`;
        const memory = new MemoryLimiter();
        let now = 1_794_755_023_000;
        for (const [index, wait] of waits.entries()) {
          now += wait;
          // A key's limits may change while it is used.
          const policy = index < waits.length / 2 ? first : second;
          const { allowed, remaining, resetSeconds, retryAfterSeconds } = memory.take(
            "k",
            policy,
            now,
          );
          expect(await inRedis(key, policy, now)).toEqual({
            allowed,
            remaining,
            resetSeconds,
            retryAfterSeconds,
          });
        }
      }),
      { numRuns: scaled(200) },
    );
  });

  test("is stored until it would be full again", async () => {
    const limiter = new RedisLimiter(link, new MemoryLimiter());
    const lasts = async (id: string) =>
      Number(await client.send("PTTL", [`matchbook:{${id}}:bucket`]));
    await limiter.take("k_slow", { rate: 60, burst: 60 }, 0);
    expect(await lasts("k_slow")).toBeWithin(500, 1001);
    for (let sent = 0; sent < 3; sent++) await limiter.take("k_slow", { rate: 60, burst: 60 }, 0);
    expect(await lasts("k_slow")).toBeWithin(3000, 4001);
  });
});

describe("a quota in Redis", () => {
  const NOON = Date.UTC(2026, 2, 10, 12);
  /** Of an instance that has counted nothing itself. */
  const another = () => new RedisQuotas(link, new MemoryQuotas());
  const hash = fc.oneof(fc.maxSafeNat(), fc.nat({ max: 12 }));
  const pages = fc.uniqueArray(hash, { minLength: 1, maxLength: 5 });
  const page = (from: number) => Array.from({ length: 5 }, (_, index) => from + index);
  let count = 0;

  test("decides like one in memory, whichever instance is asked", async () => {
    const requests = fc.record({
      page: pages,
      quota: fc.integer({ min: 1, max: 30 }),
      isFirst: fc.boolean(),
      days: fc.constantFrom(0, 0, 0, 1),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(requests, { maxLength: 12 }), async (given) => {
        const id = `k_${count++}`;
        const [first, second] = [another(), another()];
        const memory = new MemoryQuotas();
        let now = NOON;
        for (const { page, quota, isFirst, days } of given) {
          now += days * 86_400_000;
          const shared = isFirst ? first : second;
          expect(await shared.consume(id, page, quota, now)).toBe(
            memory.consume(id, page, quota, now),
          );
          expect(await shared.count(id, now)).toBe(memory.count(id, now));
        }
      }),
      { numRuns: scaled(100) },
    );
  });

  test("expires an hour after its day", async () => {
    await another().consume("k_end", page(0), 9, NOON);
    await another().consume("k_end", page(5), 9, NOON);
    const keys = (await client.send("KEYS", ["*{k_end}*"])) as string[];
    expect(keys).toHaveLength(1);
    expect(Number(await client.send("PTTL", [keys[0]!]))).toBeWithin(
      12.9 * 3_600_000,
      13 * 3_600_000 + 1,
    );
  });
});
