/** The Redis scripts decide exactly as the same rules in memory. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { RedisClient } from "bun";
import fc from "fast-check";
import type { Hash } from "../../src/access/distinct-count.ts";
import { COUNTED_EXACTLY } from "../../src/access/distinct-count.ts";
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
  /** Allows everything, so that only Redis decides. */
  const openHanded = { isExceeded: () => false, consume: () => true, count: () => 0 };
  // All zeros have another meaning in memory.
  const half = fc.integer({ min: 1, max: 2 ** 32 - 1 });
  const hashes = fc.array(
    fc.oneof(
      fc.record({ high: half, low: half }),
      fc.record({ high: fc.constant(0), low: fc.integer({ min: 1, max: 12 }) }),
    ),
    { minLength: 1, maxLength: 5 },
  );
  let count = 0;

  test("decides like one in memory while it counts exactly", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ page: hashes, most: fc.integer({ min: 1, max: 30 }) }), {
          maxLength: 12,
        }),
        async (pages) => {
          const id = `k_${count++}`;
          const shared = new RedisQuotas(link, openHanded);
          const memory = new MemoryQuotas();
          for (const { page, most } of pages) {
            expect(await shared.isExceeded(id, most, NOON)).toBe(memory.isExceeded(id, most, NOON));
            expect(await shared.consume(id, page, most, NOON)).toBe(
              memory.consume(id, page, most, NOON),
            );
            expect(await shared.count(id, NOON)).toBe(await memory.count(id, NOON));
          }
        },
      ),
      { numRuns: scaled(100) },
    );
  });

  const page = (from: number, size: number): Hash[] =>
    Array.from({ length: size }, (_, index) => ({
      high: Math.imul(from + index, 0x9e3779b1) >>> 0,
      low: from + index,
    }));

  /** Consumes pages of 50 distinct records until refused. */
  async function exhaust(id: string, most: number): Promise<number> {
    const shared = new RedisQuotas(link, openHanded);
    let served = 0;
    while (await shared.consume(id, page(served, 50), most, NOON)) served += 50;
    expect(await shared.isExceeded(id, most, NOON)).toBe(true);
    return served;
  }

  test.each([90, COUNTED_EXACTLY])("of %d is exact", async (most) => {
    expect(await exhaust(`k_exact${most}`, most)).toBe(Math.floor(most / 50) * 50);
  });

  test.each([1100, 5000, 20_000])("of %d is accurate to a few per cent, in 12 KB", async (most) => {
    const id = `k_many${most}`;
    const served = await exhaust(id, most);
    expect(served / most).toBeWithin(0.94, 1.04);
    expect(await new RedisQuotas(link, openHanded).count(id, NOON)).toBeWithin(0, most + 1);
    const [key] = (await client.send("KEYS", [`*{${id}}*:sketch`])) as string[];
    expect(Number(await client.send("STRLEN", [key!]))).toBeLessThan(13_000);
    expect(await client.send("KEYS", [`*{${id}}*:matches`])).toEqual([]);
  });

  test("that is exceeded stays exceeded that day, until it is raised", async () => {
    const shared = new RedisQuotas(link, openHanded);
    expect(await shared.consume("k_day", page(0, 5), 9, NOON)).toBe(true);
    expect(await shared.consume("k_day", page(5, 5), 9, NOON)).toBe(false);
    expect(await shared.isExceeded("k_day", 9, NOON)).toBe(true);
    expect(await shared.isExceeded("k_day", 10, NOON)).toBe(false);
    expect(await shared.count("k_day", NOON)).toBe(5);
    const tomorrow = NOON + 12 * 3_600_000;
    expect(await shared.isExceeded("k_day", 9, tomorrow)).toBe(false);
    expect(await shared.count("k_day", tomorrow)).toBe(0);
  });

  test("expires an hour after its day", async () => {
    const shared = new RedisQuotas(link, openHanded);
    await shared.consume("k_end", page(0, 5), 9, NOON);
    await shared.consume("k_end", page(5, 5), 9, NOON);
    const keys = (await client.send("KEYS", ["*{k_end}*"])) as string[];
    expect(keys).toHaveLength(2);
    for (const key of keys) {
      expect(Number(await client.send("PTTL", [key]))).toBeWithin(
        12.9 * 3_600_000,
        13 * 3_600_000 + 1,
      );
    }
    const sketched = (await client.send("KEYS", ["*:sketch"])) as string[];
    for (const key of sketched) expect(Number(await client.send("PTTL", [key]))).toBeGreaterThan(0);
  });
});
