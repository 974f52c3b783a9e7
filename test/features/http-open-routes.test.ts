/** What needs no key costs next to nothing, however often it is requested. */

import { afterAll, afterEach, describe, expect, spyOn, test } from "bun:test";
import type { Settings } from "../../src/settings/definitions.ts";
import { AddressSet } from "../../src/settings/trusted-proxies.ts";
import { SqliteReader } from "../../src/store/sqlite/reader.ts";
import { serveWithKeys, TestClock } from "../support/keys.ts";
import { problemIn } from "../support/problems.ts";
import { aMatch } from "../support/records.ts";
import { type Reply, startWorld } from "../support/world.ts";

const world = await startWorld([
  aMatch({ id: "match-a", shard: "na" }),
  aMatch({ id: "match-b", shard: "eu" }),
]);
afterAll(() => world.stop());

type Ask = (path: string, from?: string) => Promise<Reply>;

async function withServer(
  settings: Partial<Settings>,
  work: (ask: Ask, clock: TestClock, url: string) => Promise<void>,
): Promise<void> {
  const clock = new TestClock();
  await using server = await serveWithKeys(world, [], settings, clock);
  const ask: Ask = (path, from) =>
    world.get(`${server.url}${path}`, {
      Authorization: null,
      Accept: null,
      ...(from === undefined ? {} : { "X-Forwarded-For": from }),
    });
  await work(ask, clock, server.url);
}

const statuses = (replies: Reply[]) => replies.map(({ status }) => status);

describe("the state of the shards", () => {
  const summary = spyOn(SqliteReader.prototype, "summary");
  const sizes = spyOn(SqliteReader.prototype, "sizes");
  afterEach(() => {
    summary.mockClear();
    sizes.mockClear();
  });
  afterAll(() => {
    summary.mockRestore();
    sizes.mockRestore();
  });

  test("is read at most once a second, by however many requests for /status and /readyz", async () => {
    await withServer({}, async (ask, clock) => {
      // The start reads them too.
      summary.mockClear();
      const paths = Array.from({ length: 40 }, (_, at) => (at % 2 === 0 ? "/status" : "/readyz"));
      const all = () => Promise.all(paths.map((path) => ask(path)));
      expect(new Set(statuses(await all()))).toEqual(new Set([200]));
      clock.advance(999);
      await all();
      // Once per shard.
      expect(summary).toHaveBeenCalledTimes(2);
      clock.advance(1);
      await all();
      expect(summary).toHaveBeenCalledTimes(4);
    });
  });

  test("does not include sizes where no key is needed", async () => {
    await withServer({}, async (ask) => {
      await ask("/status");
      await ask("/readyz");
      expect(sizes).not.toHaveBeenCalled();
    });
  });
});

describe("requests without a key beyond the limit of an IP address", () => {
  const LIMITED = { "open-requests-per-minute": 3 };

  test.each(["/status", "/openapi.json"])("get 429 for %s", async (path) => {
    await withServer(LIMITED, async (ask, clock) => {
      await Promise.all(["/status", "/healthz", "/readyz"].map((one) => ask(one)));
      const reply = await ask(path);
      expect(reply.headers.get("retry-after")).toBe("20");
      expect(problemIn(reply)).toMatchObject({ status: "429", code: "rate-limited" });
      clock.advance(20_000);
      expect((await ask("/status")).status).toBe(200);
    });
  });

  test("get 429 for the portal", async () => {
    await withServer(LIMITED, async (_, __, url) => {
      const pages = Array.from({ length: 4 }, () => fetch(`${url}/portal/assets/none`));
      const replies = await Promise.all(pages);
      expect(replies.filter(({ status }) => status === 429)).toHaveLength(1);
    });
  });

  test("get a response if they are health checks", async () => {
    await withServer(LIMITED, async (ask) => {
      const checks = ["/healthz", "/readyz", "/healthz", "/readyz", "/healthz", "/readyz"];
      expect(new Set(statuses(await Promise.all(checks.map((path) => ask(path)))))).toEqual(
        new Set([200]),
      );
    });
  });

  test.each([
    ["/nowhere", "GET", 404],
    ["/shards/na/matches", "GET", 401],
    ["/shards/na/matches", "POST", 405],
    ["/shards/na/matches", "OPTIONS", 204],
    ["/healthz", "GET", 200],
    ["/status", "GET", 429],
  ])("are held back: %s with %s, which gets %d", async (path, method, status) => {
    await withServer(LIMITED, async (ask, _, url) => {
      await Promise.all(["/status", "/nowhere", "/healthz"].map((one) => ask(one)));
      const sleep = spyOn(Bun, "sleep");
      try {
        expect((await fetch(`${url}${path}`, { method })).status).toBe(status);
        // Other servers of this process may sleep meanwhile, but not for this time.
        expect(sleep.mock.calls.filter(([ms]) => ms === 100)).toHaveLength(1);
      } finally {
        sleep.mockRestore();
      }
    });
  });

  test("are counted once, also if the route refuses them", async () => {
    await withServer(LIMITED, async (ask) => {
      const refused = [await ask("/status?x=1"), await ask("/openapi.json?x=1")];
      expect(statuses([...refused, await ask("/status")])).toEqual([400, 400, 200]);
      expect((await ask("/status")).status).toBe(429);
    });
  });

  test("are counted by the address that a trusted proxy forwards, and only by such", async () => {
    const proxies = AddressSet.parse("127.0.0.1") as { value: AddressSet };
    const behindProxy = { ...LIMITED, "trusted-proxies": proxies.value };
    const addresses = ["192.0.2.1", "192.0.2.2", "192.0.2.3", "192.0.2.4"];
    const all = (ask: Ask) => Promise.all(addresses.map((address) => ask("/status", address)));
    await withServer(behindProxy, async (ask) => {
      expect(statuses(await all(ask))).toEqual([200, 200, 200, 200]);
    });
    await withServer(LIMITED, async (ask) => {
      expect(statuses(await all(ask)).sort()).toEqual([200, 200, 200, 429]);
    });
  });
});
