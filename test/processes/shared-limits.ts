/** Limits that two instances share through a real Redis, also while it is unavailable. */

import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import type { Settings } from "../../src/settings/definitions.ts";
import { type Instance, startInstance } from "../support/instances.ts";
import { awayFromMidnight } from "../support/midnight.ts";
import { aMatch } from "../support/records.ts";
import { startRedis, type TestRedis } from "../support/redis.ts";
import { shared } from "../support/shared.ts";
import { until } from "../support/state.ts";
import { makeKey, startWorld } from "../support/world.ts";

/** How long requests wait for a Redis that does not respond. */
const RESPONSE_MS = 100;
/** The same where Redis responds: on a busy machine, it must not seem to hang. */
const PATIENT_MS = 30_000;
const MATCHES = Array.from({ length: 40 }, (_, index) => aMatch({ id: `match-${index}` }));
const ONE = "/shards/na/matches/match-0";
const page = (offset: number) => `/shards/na/matches?page[offset]=${offset}`;

await awayFromMidnight();

const world = shared(() => startWorld(MATCHES));
let redis: TestRedis;
let running: Instance[] = [];

beforeAll(async () => {
  redis = await startRedis();
});
afterEach(async () => {
  await Promise.all(running.map((instance) => instance.stop()));
  running = [];
  await redis.remove();
  redis = await startRedis();
});
afterAll(() => redis.remove());

async function twoInstances(
  settings: Partial<Settings> = {},
  responseMs = PATIENT_MS,
): Promise<[Instance, Instance]> {
  const start = () =>
    startInstance(world, { redis: redis.url, ...settings }, undefined, responseMs);
  const one = await start();
  const other = await start();
  running.push(one, other);
  return [one, other];
}

/** How many of these concurrent requests to both were allowed. */
async function passed(instances: Instance[], key: string, count: number): Promise<number> {
  const replies = await Promise.all(
    Array.from({ length: count }, (_, index) => instances[index % instances.length]!.get(ONE, key)),
  );
  expect(new Set(replies.map(({ status }) => status)).isSubsetOf(new Set([200, 429]))).toBe(true);
  return replies.filter(({ status }) => status === 200).length;
}

/** The number of decisions without Redis so far. */
async function decidedAlone(instances: Instance[]): Promise<number> {
  const metrics = await Promise.all(
    instances.map((instance) => instance.metric("matchbook_shared_limit_fallbacks_total")),
  );
  return metrics.flat().reduce((sum, { value }) => sum + value, 0);
}

/** Sends requests until it is stopped; returns the outcomes. */
function load(instances: Instance[], key: string) {
  let isOver = false;
  const replies: { status: number; milliseconds: number }[] = [];
  const callers = instances.map(async (instance) => {
    while (!isOver) {
      replies.push(await instance.get(ONE, key));
      // Requests as fast as possible would only slow down the rest.
      await Bun.sleep(5);
    }
  });
  return {
    replies,
    async end() {
      isOver = true;
      await Promise.all(callers);
      return {
        statuses: [...new Set(replies.map(({ status }) => status))],
        slowest: Math.max(...replies.map(({ milliseconds }) => milliseconds)),
      };
    },
  };
}

const changes = ({ events }: Instance) =>
  events.map(({ event }) => event).filter((event) => event.startsWith("shared-limits"));

const are = (state: "ok" | "unavailable", instances: Instance[]) =>
  until(`limits are ${state}`, async () => {
    const states = await Promise.all(instances.map((instance) => instance.status()));
    return states.every(({ sharedLimits }) => sharedLimits === state);
  });

describe("two instances with one Redis", () => {
  test("allow exactly one bucket's capacity of 200 concurrent requests", async () => {
    const { key } = await makeKey(world, { rate: 1, burst: 60 });
    const both = await twoInstances();
    expect(await passed(both, key, 200)).toBe(60);
    const { status, body } = await both[0].get(ONE, key);
    expect([status, body.errors[0].code]).toEqual([429, "rate-limited"]);
    expect(await decidedAlone(both)).toBe(0);
  });

  test("serve exactly as many of 40 different matches at once as the quota allows", async () => {
    const { key } = await makeKey(world, { rate: 1000, matchesPerDay: 10 });
    const both = await twoInstances();
    const replies = await Promise.all(
      MATCHES.map((_, at) => both[at % 2]!.get(`/shards/na/matches/match-${at}`, key)),
    );
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(10);
    expect(await decidedAlone(both)).toBe(0);
  });

  test("share the quota of an address of portal visitors, whose address Redis does not learn", async () => {
    const tiers = [{ name: "hobby" }, { name: "visitor", rate: 1000, matchesPerDay: 10 }];
    const secret = "s".repeat(24);
    const open = { "portal-visitors": "on", "admin-token": secret, tiers } as const;
    const [one, other] = await twoInstances(open);
    const response = await fetch(`${one.url}/portal/visitor-token`);
    const { token } = (await response.json()) as { token: string };
    expect((await one.get(page(0), token)).status).toBe(200);
    expect((await other.get(page(5), token)).status).toBe(200);
    expect((await other.get("/usage", token)).body.today).toMatchObject({
      matches: 10,
      matchesLeft: 0,
    });
    expect((await one.get(page(10), token)).status).toBe(429);
    const client = new Bun.RedisClient(redis.url);
    const names = (await client.send("KEYS", ["*"])) as string[];
    client.close();
    expect(names.filter((name) => name.includes("{visitor-")).length).toBeGreaterThan(0);
    expect(names.filter((name) => /127\.0|::1/.test(name))).toEqual([]);
  });

  test("report that limits are shared, and nothing if they are not configured", async () => {
    const [one] = await twoInstances();
    expect((await one.status()).sharedLimits).toBe("ok");
    expect(changes(one)).toEqual(["shared-limits-available"]);
    expect(await one.metric("matchbook_shared_limits_up")).toMatchObject([{ value: 1 }]);
    const alone = await startInstance(world, {});
    running.push(alone);
    expect(await alone.status()).not.toHaveProperty("sharedLimits");
    expect(changes(alone)).toEqual([]);
    expect(await alone.metric("matchbook_shared_limits_up")).toMatchObject([{ value: 1 }]);
  });
});

describe("a Redis that is killed under load", () => {
  test("stops no request and is reported; when it is back, limits are shared again", async () => {
    const busy = await makeKey(world, {});
    const before = await makeKey(world, { rate: 1, burst: 20 });
    const after = await makeKey(world, { rate: 1, burst: 20 });
    const both = await twoInstances();
    const { end } = load(both, busy.key);
    await redis.kill();
    await are("unavailable", both);
    for (const instance of both) {
      expect(await instance.metric("matchbook_shared_limits_up")).toMatchObject([{ value: 0 }]);
      const [fallbacks] = await instance.metric("matchbook_shared_limit_fallbacks_total");
      expect(fallbacks!.value).toBeGreaterThan(0);
    }
    // Each on its own now: local limits apply.
    expect(await passed(both, before.key, 100)).toBe(40);
    await redis.start();
    await are("ok", both);
    expect(await passed(both, after.key, 100)).toBe(20);
    const { statuses, slowest } = await end();
    expect(statuses).toEqual([200]);
    // None has waited for a response.
    expect(slowest).toBeLessThan(PATIENT_MS);
    for (const instance of both) {
      expect(changes(instance)).toEqual([
        "shared-limits-available",
        "shared-limits-unavailable",
        "shared-limits-available",
      ]);
      expect(await instance.metric("matchbook_shared_limits_up")).toMatchObject([{ value: 1 }]);
    }
  });

  test("lets an instance continue from its own rate and quota counts", async () => {
    const hasty = await makeKey(world, { rate: 1, burst: 5 });
    const greedy = await makeKey(world, { matchesPerDay: 5 });
    const [one, other] = await twoInstances();
    expect(await passed([one], hasty.key, 3)).toBe(3);
    expect((await one.get(page(0), greedy.key)).status).toBe(200);
    await redis.kill();
    await are("unavailable", [one, other]);
    expect(await passed([one], hasty.key, 10)).toBe(2);
    expect(await passed([other], hasty.key, 10)).toBe(5);
    expect((await one.get("/usage", greedy.key)).body.today.matches).toBe(5);
    expect((await one.get(page(5), greedy.key)).body.errors[0].code).toBe("quota-exceeded");
  });

  test("does not reset the quota when it loses its data", async () => {
    const { key } = await makeKey(world, { matchesPerDay: 5 });
    const [one, other] = await twoInstances();
    expect((await one.get(page(0), key)).status).toBe(200);
    await redis.kill();
    await redis.start();
    await until("both have lost and found Redis", () =>
      [one, other].every((instance) => changes(instance).length === 3),
    );
    expect((await one.get(page(5), key)).body.errors[0].code).toBe("quota-exceeded");
  });
});

describe("a Redis that hangs", () => {
  test("delays no request beyond the timeout, and is used again when it responds", async () => {
    const { key } = await makeKey(world, {});
    const both = await twoInstances({}, RESPONSE_MS);
    const { replies, end } = load(both, key);
    redis.pause();
    const before = replies.length;
    await are("unavailable", both);
    // Each client sends one request at a time: those that Redis kept waiting are answered while it still hangs.
    await until("requests are answered", () => replies.length >= before + 20);
    redis.resume();
    await are("ok", both);
    const { statuses, slowest } = await end();
    expect(statuses).toEqual([200]);
    expect(slowest).toBeGreaterThanOrEqual(RESPONSE_MS);
  });

  test("is noticed even without requests", async () => {
    const both = await twoInstances({}, RESPONSE_MS);
    redis.pause();
    await until("both say so", () =>
      both.every((instance) => changes(instance).at(-1) === "shared-limits-unavailable"),
    );
    redis.resume();
    await are("ok", both);
  });

  test("does not delay a start for long, and is used when it appears", async () => {
    const { key } = await makeKey(world, { rate: 1, burst: 20 });
    await redis.kill();
    const both = await twoInstances();
    expect(both.map(changes)).toEqual([
      ["shared-limits-unavailable"],
      ["shared-limits-unavailable"],
    ]);
    expect((await both[0].get(ONE, key)).status).toBe(200);
    await redis.start();
    await are("ok", both);
    expect(await passed(both, key, 100)).toBe(20);
  });
});

describe("a Redis that is read-only", () => {
  test("counts as unavailable, e.g. after it has become a replica", async () => {
    const [one, other] = await twoInstances();
    const client = redis.client();
    await client.send("REPLICAOF", ["127.0.0.1", "1"]);
    await are("unavailable", [one, other]);
    await client.send("REPLICAOF", ["NO", "ONE"]);
    await are("ok", [one, other]);
    client.close();
    expect(changes(one)).toEqual([
      "shared-limits-available",
      "shared-limits-unavailable",
      "shared-limits-available",
    ]);
  });

  test("is used again after its scripts were flushed", async () => {
    const { key } = await makeKey(world, {});
    const [one] = await twoInstances();
    const client = redis.client();
    await client.send("SCRIPT", ["FLUSH"]);
    client.close();
    expect((await one.get(ONE, key)).status).toBe(200);
    await are("ok", [one]);
  });
});

test("limits that are closed while Redis hangs decide locally at once and leave nothing running", async () => {
  const script = join(import.meta.dir, "../support/closing-process.ts");
  // Killed if something keeps it alive.
  const child = Bun.spawn([process.execPath, script, redis.url], {
    stdout: "pipe",
    stderr: "inherit",
    timeout: 20_000,
  });
  expect(JSON.parse(await new Response(child.stdout).text())).toEqual({
    inFlight: expect.objectContaining({ allowed: true, remaining: 4 }),
    afterwards: expect.objectContaining({ allowed: true, remaining: 3 }),
    isUp: false,
    events: ["shared-limits-available"],
  });
  expect(await child.exited).toBe(0);
});

test("an instance reveals neither the user nor the password of its Redis", async () => {
  const address = redis.url.replace("redis://", "redis://somebody:open-sesame@");
  const one = await startInstance(world, { redis: address });
  running.push(one);
  const [outage] = one.events.filter(({ event }) => event === "shared-limits-unavailable");
  expect(Bun.inspect(outage)).toContain("shared-limits-unavailable");
  expect(Bun.inspect(outage)).not.toMatch(/somebody|open-sesame/);
});
