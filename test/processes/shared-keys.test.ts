/**
 * Two instances with keys and usage in one PostgreSQL: shared keys and counts, also while it is
 * unavailable.
 */

import { afterEach, describe, expect, test } from "bun:test";
import { hashKey } from "../../src/access/key.ts";
import type { EventName } from "../../src/observe/events.ts";
import { parseKeysDatabase } from "../../src/settings/database-urls.ts";
import { AUTHORIZATION } from "../support/admin.ts";
import { type Instance, startInstance } from "../support/instances.ts";
import { awayFromMidnight } from "../support/midnight.ts";
import { startCluster } from "../support/postgres.ts";
import { matchbook, startServerProcess } from "../support/process.ts";
import { aMatch } from "../support/records.ts";
import { shared } from "../support/shared.ts";
import { until } from "../support/state.ts";
import { getAs, startWorld } from "../support/world.ts";

/** As documented for operators. */
const NOTICED_MS = 5000;
const ONE = "/shards/na/matches/match-0";
const page = (offset: number) => `/shards/na/matches?page[offset]=${offset}`;

await awayFromMidnight();

const world = shared(() =>
  startWorld(Array.from({ length: 20 }, (_, index) => aMatch({ id: `match-${index}` }))),
);
const cluster = shared(() => startCluster());
let running: Instance[] = [];

afterEach(async () => {
  await Promise.all(running.map((instance) => instance.stop()));
  running = [];
});

/** No password is required, but it must not appear anywhere. */
const address = () => cluster.url.replace("matchbook@", "matchbook:open-sesame@");

async function twoInstances(): Promise<[Instance, Instance]> {
  const parsed = parseKeysDatabase(address());
  if ("error" in parsed) throw new Error(parsed.error);
  const one = await startInstance(world, { "keys-database": parsed.value });
  const other = await startInstance(world, { "keys-database": parsed.value });
  running.push(one, other);
  return [one, other];
}

const keys = (...args: string[]) =>
  matchbook(["keys", ...args], { cwd: world.data, env: { MATCHBOOK_KEYS_DATABASE: address() } });

async function makeKey(...flags: string[]): Promise<{ id: string; key: string }> {
  const { exitCode, stdout, stderr } = await keys("create", "--name", "test", ...flags);
  expect([exitCode, stderr]).toEqual([0, expect.stringContaining("Created key")]);
  return { key: stdout.trim(), id: /k_\w{10}/.exec(stderr)![0] };
}

/** Waits until both respond like this; returns how long that took. */
async function both(instances: Instance[], key: string, status: number): Promise<number> {
  const began = performance.now();
  await until(`both answer ${status}`, async () => {
    const replies = await Promise.all(instances.map((instance) => instance.get(ONE, key)));
    return replies.every((reply) => reply.status === status);
  });
  return performance.now() - began;
}

/** Requests by status over all days of a key, as the command line shows them. */
async function usageOf(id: string): Promise<Record<string, number>> {
  const { stdout } = await keys("show", id, "--json");
  const { days } = JSON.parse(stdout) as { days: { requests: Record<string, number> }[] };
  return days[0]?.requests ?? {};
}

const said = ({ events }: Instance, name: string) => events.some(({ event }) => event === name);

describe("two instances with one key database", () => {
  test("accept a key seconds after it is created, and reject it seconds after it ends", async () => {
    const instances = await twoInstances();
    const { id, key } = await makeKey();
    const times = [await both(instances, key, 200)];
    expect((await keys("revoke", id)).stderr).toBe(`Revoked ${id}.\n`);
    times.push(await both(instances, key, 401));
    const another = await makeKey();
    times.push(await both(instances, another.key, 200));
    await keys("revoke", another.id);
    times.push(await both(instances, another.key, 401));
    // A busy machine may delay one or two.
    expect(times.sort((a, b) => a - b)[1]).toBeLessThan(NOTICED_MS);
    const listed = JSON.parse((await keys("list", "--json")).stdout);
    expect(listed.find((one: { id: string }) => one.id === id)).toMatchObject({ state: "revoked" });
  });

  test("share daily counts within moments", async () => {
    const [one, other] = await twoInstances();
    const { id, key } = await makeKey("--matches-per-day", "5");
    await until("the key is known", async () => (await other.get("/usage", key)).status === 200);
    await until("the key is known", async () => (await one.get("/usage", key)).status === 200);
    expect((await one.get(page(0), key)).status).toBe(200);
    await until("the quota is stored", async () => {
      const shown = JSON.parse((await keys("show", id, "--json")).stdout);
      return shown.today.matches === 5;
    });
    await until("the other knows of it", async () => {
      const { body } = await other.get("/usage", key);
      return body.today.matches === 5;
    });
    expect((await other.get(page(0), key)).status).toBe(200);
    expect((await other.get(page(5), key)).body.errors[0].code).toBe("quota-exceeded");
  });
});

/** 503 with Retry-After and its own code, without internals. */
async function refusesUsageAndKeys(instance: Instance, id: string, key: string): Promise<void> {
  const usage = await fetch(`${instance.url}/usage`, {
    headers: { Authorization: `Bearer ${key}` },
  });
  expect([usage.status, usage.headers.get("retry-after")]).toEqual([503, "5"]);
  expect(((await usage.json()) as { errors: unknown[] }).errors).toMatchObject([
    { code: "usage-unavailable" },
  ]);
  const wishes = [
    ["GET", "/keys"],
    ["POST", "/keys", { name: "in vain" }],
    ["PATCH", `/keys/${id}`, { rate: 7 }],
    ["POST", `/keys/${id}/revoke`],
  ] as const;
  for (const [method, path, body] of wishes) {
    const reply = await fetch(`${instance.adminUrl}${path}`, {
      method,
      headers: AUTHORIZATION,
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const seen = [path, reply.status, reply.headers.get("retry-after"), await reply.text()];
    expect(seen).toEqual([path, 503, "5", expect.stringContaining('"keys-unavailable"')]);
    expect(seen[3]).not.toContain("127.0.0.1");
  }
}

describe("an unavailable key database", () => {
  test("leaves keys valid; counts and new keys follow when it is back", async () => {
    const instances = await twoInstances();
    const { id, key } = await makeKey();
    await both(instances, key, 200);
    const counted = { ...(await usageOf(id)) };
    await cluster.stop("immediate");
    try {
      await until("both have noticed", () =>
        instances.every((instance) => said(instance, "keys-reload-failed")),
      );
      const times: number[] = [];
      for (let sent = 0; sent < 3; sent++) {
        for (const instance of instances) {
          const { status, milliseconds } = await instance.get("/shards/na/matches/nobody", key);
          expect(status).toBe(404);
          times.push(milliseconds);
        }
      }
      // Shorter than the database timeout: none waits for it. A busy machine may delay some.
      expect(Math.min(...times)).toBeLessThan(3000);
      await until("usage could not be written down", () =>
        instances.every((instance) => said(instance, "usage-write-failed")),
      );
      for (const instance of instances) await refusesUsageAndKeys(instance, id, key);
      // Every check since has failed, and only the first is logged at the usual level.
      await until("it was looked at again", () =>
        instances.every((instance) => said(instance, "keys-reload-still-failing")),
      );
      const refused = await keys("list");
      expect(refused.exitCode).toBe(1);
      expect(refused.stderr).toMatch(
        /^matchbook: cannot use postgres:\/\/127\.0\.0\.1:\d+\/postgres/,
      );
      expect(refused.stderr).not.toContain("open-sesame");
    } finally {
      await cluster.start();
    }
    const fresh = await makeKey();
    await both(instances, fresh.key, 200);
    await until("usage has been written down", async () => (await usageOf(id))["404"] === 6);
    expect((await usageOf(id))["200"]).toBeGreaterThanOrEqual(counted["200"] ?? 0);
    for (const { events } of instances) {
      const ofKeys = events.filter(({ event }) => /^keys-reload-(failed|recovered)$/.test(event));
      expect(ofKeys.filter(({ event }, at) => event === ofKeys[at - 1]?.event)).toEqual([]);
      expect(ofKeys.at(-1)?.event).toBe("keys-reload-recovered");
    }
    const visible = Bun.inspect(
      instances.flatMap(({ events }) => events),
      { depth: 10 },
    );
    for (const secret of [key, hashKey(key), fresh.key, hashKey(fresh.key), "open-sesame"]) {
      expect(visible).not.toContain(secret);
    }
  });

  test("at startup: workers start, keys get 503 and not 401, and work once it is back", async () => {
    const { key } = await makeKey();
    await cluster.stop("immediate");
    const server = await startServerProcess(["--workers", "2"], {
      cwd: world.data,
      env: { MATCHBOOK_KEYS_DATABASE: address(), MATCHBOOK_DATA: world.data },
    });
    let log = "";
    const logged = (async () => {
      for await (const chunk of server.child.stderr) log += Buffer.from(chunk).toString();
    })();
    const count = (event: EventName) => log.split(`"event":"${event}"`).length - 1;
    const get = (path: string) => getAs({ ...server, key }, path);
    try {
      expect((await get("/healthz")).status).toBe(200);
      const ready = await get("/readyz");
      expect([ready.status, ready.body]).toEqual([
        503,
        // The list of redactions is there too, without which a shard is not opened.
        { status: "not ready", unavailable: ["na"], keys: "unavailable" },
      ]);
      const refused = await get(ONE);
      expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "5"]);
      expect(refused.body).toMatchObject({ errors: [{ code: "keys-unavailable" }] });
    } finally {
      await cluster.start();
    }
    await until("workers and supervisor have the keys", () => count("keys-reload-recovered") === 3);
    await until("it is ready", async () => (await get("/readyz")).status === 200);
    expect((await get(ONE)).status).toBe(200);
    expect(await server.end()).toBe(0);
    await logged;
    expect([count("keys-load-failed"), count("keys-reload-recovered")]).toEqual([3, 3]);
    expect(log).not.toContain("open-sesame");
  });
});
