/** What needs no key costs next to nothing, however often it is requested. */

import { afterAll, describe, expect, spyOn, test } from "bun:test";
import type { Settings } from "../../src/settings/definitions.ts";
import { AddressSet } from "../../src/settings/trusted-proxies.ts";
import { readSummary } from "../../src/store/core/summary.ts";
import { SqliteReader } from "../../src/store/sqlite/reader.ts";
import { serveWithKeys, TestClock } from "../support/keys.ts";
import { expectProblem } from "../support/problems.ts";
import { aMatch } from "../support/records.ts";
import { type Reply, startWorld } from "../support/world.ts";

const world = await startWorld([
  aMatch({ id: "match-a", shard: "na" }),
  aMatch({ id: "match-b", shard: "eu" }),
]);
afterAll(() => world.stop());

/** A server with a clock of its own, asked without a key. */
async function serving(settings: Partial<Settings> = {}) {
  const clock = new TestClock();
  const server = await serveWithKeys(world, [], settings, clock);
  const ask = (path: string, from?: string) =>
    world.get(`${server.url}${path}`, {
      ...{ Authorization: null, Accept: null },
      ...(from === undefined ? {} : { "X-Forwarded-For": from }),
    });
  const all = (paths: string[]) => Promise.all(paths.map((path) => ask(path)));
  return { ask, all, clock, url: server.url, [Symbol.asyncDispose]: () => server.stop() };
}

const statuses = (replies: Reply[]) => replies.map(({ status }) => status);

describe("the state of the shards", () => {
  const read = spyOn(SqliteReader.prototype, "read");
  const sizes = spyOn(SqliteReader.prototype, "sizes");
  const summaries = () => read.mock.calls.filter(([steps]) => steps === readSummary).length;
  afterAll(() => {
    read.mockRestore();
    sizes.mockRestore();
  });

  test("is read at most once a second, by however many requests for /status and /readyz, without sizes", async () => {
    await using site = await serving();
    // The start reads them too.
    read.mockClear();
    sizes.mockClear();
    const paths = Array.from({ length: 40 }, (_, at) => (at % 2 === 0 ? "/status" : "/readyz"));
    expect(new Set(statuses(await site.all(paths)))).toEqual(new Set([200]));
    site.clock.advance(999);
    await site.all(paths);
    // Once per shard.
    expect(summaries()).toBe(2);
    site.clock.advance(1);
    await site.all(paths);
    expect(summaries()).toBe(4);
    expect(sizes).not.toHaveBeenCalled();
  });
});

describe("requests without a key beyond the limit of an IP address", () => {
  const LIMITED = { "open-requests-per-minute": 3 };

  test.each(["/status", "/openapi.json"])("get 429 for %s", async (path) => {
    await using site = await serving(LIMITED);
    await site.all(["/status", "/healthz", "/readyz"]);
    const reply = await site.ask(path);
    expect(reply.headers.get("retry-after")).toBe("20");
    expectProblem(reply, "rate-limited");
    site.clock.advance(20_000);
    expect((await site.ask("/status")).status).toBe(200);
  });

  test("get 429 for the portal, and a response if they are health checks", async () => {
    await using site = await serving(LIMITED);
    const pages = Array.from({ length: 4 }, () => fetch(`${site.url}/portal/assets/none`));
    const replies = await Promise.all(pages);
    expect(replies.filter(({ status }) => status === 429)).toHaveLength(1);
    const checks = ["/healthz", "/readyz", "/healthz", "/readyz", "/healthz", "/readyz"];
    expect(new Set(statuses(await site.all(checks)))).toEqual(new Set([200]));
  });

  test.each([
    ["/nowhere", "GET", 404],
    ["/shards/na/matches", "GET", 401],
    ["/shards/na/matches", "POST", 405],
    ["/shards/na/matches", "OPTIONS", 204],
    ["/healthz", "GET", 200],
    ["/status", "GET", 429],
  ])("are held back: %s with %s, which gets %d", async (path, method, status) => {
    await using site = await serving(LIMITED);
    await site.all(["/status", "/nowhere", "/healthz"]);
    const sleep = spyOn(Bun, "sleep");
    try {
      expect((await fetch(`${site.url}${path}`, { method })).status).toBe(status);
      // Other servers of this process may sleep meanwhile, but not for this time.
      expect(sleep.mock.calls.filter(([ms]) => ms === 100)).toHaveLength(1);
    } finally {
      sleep.mockRestore();
    }
  });

  test("are counted once, also if the route refuses them", async () => {
    await using site = await serving(LIMITED);
    for (const [path, status] of [
      ["/status?x=1", 400],
      ["/openapi.json?x=1", 400],
      ["/status", 200],
      ["/status", 429],
    ] as const) {
      expect((await site.ask(path)).status).toBe(status);
    }
  });

  test("are counted by the address that a trusted proxy forwards, and only by such", async () => {
    const proxies = AddressSet.parse("127.0.0.1") as { value: AddressSet };
    const addresses = ["192.0.2.1", "192.0.2.2", "192.0.2.3", "192.0.2.4"];
    await using behind = await serving({ ...LIMITED, "trusted-proxies": proxies.value });
    await using site = await serving(LIMITED);
    for (const [{ ask }, last] of [
      [behind, 200],
      [site, 429],
    ] as const) {
      const replies = await Promise.all(addresses.map((address) => ask("/status", address)));
      expect(statuses(replies).sort()).toEqual([200, 200, 200, last]);
    }
  });
});
