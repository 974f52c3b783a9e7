/** Callers who guess keys are slowed down, and no one else. */

import { afterAll, describe, expect, test } from "bun:test";
import { makeKey } from "../../src/access/key.ts";
import type { Settings } from "../../src/settings/definitions.ts";
import { AddressSet } from "../../src/settings/trusted-proxies.ts";
import { serveWithKeys, TestClock } from "../support/keys.ts";
import { problemIn } from "../support/problems.ts";
import { aMatch } from "../support/records.ts";
import { type Reply, startWorld } from "../support/world.ts";

const world = await startWorld([aMatch({ id: "match-a" })]);
afterAll(() => world.stop());

const proxies = AddressSet.parse("127.0.0.1,10.0.0.0/8");
const BEHIND_PROXIES = { "trusted-proxies": (proxies as { value: AddressSet }).value };

type Ask = (key: string | null, from?: string, path?: string) => Promise<Reply>;

async function withServer(
  settings: Partial<Settings>,
  work: (ask: Ask, keys: string[], clock: TestClock) => Promise<void>,
): Promise<void> {
  const clock = new TestClock();
  await using server = await serveWithKeys(
    world,
    [{}, {}],
    { "open-requests-per-minute": 60, ...settings },
    clock,
  );
  await work(
    (key, from, path = "/shards/na/matches/match-a") =>
      world.get(`${server.url}${path}`, {
        Authorization: key === null ? null : `Bearer ${key}`,
        ...(from === undefined ? {} : { "X-Forwarded-For": from }),
      }),
    server.keys,
    clock,
  );
}

/** Sends invalid keys; returns the responses. */
async function guess(ask: Ask, times: number, from?: string): Promise<number[]> {
  const statuses: number[] = [];
  for (let time = 0; time < times; time++) statuses.push((await ask(makeKey(), from)).status);
  return statuses;
}

describe("invalid keys", () => {
  test("get 401 as often as the setting allows, then 429", async () => {
    await withServer({}, async (ask) => {
      expect(await guess(ask, 5)).toEqual([401, 401, 401, 429, 429]);
      const reply = await ask(makeKey());
      expect(reply.headers.get("retry-after")).toBe("20");
      expect(problemIn(reply)).toMatchObject({
        code: "too-many-failures",
        source: { header: "Authorization" },
      });
    });
  });

  test("may be sent again after Retry-After, and not a second earlier", async () => {
    await withServer({}, async (ask, _, clock) => {
      await guess(ask, 4);
      clock.advance(19_000);
      expect(await guess(ask, 1)).toEqual([429]);
      clock.advance(1000);
      expect(await guess(ask, 2)).toEqual([401, 429]);
    });
  });

  test("count at every endpoint that needs a key, whatever is wrong with them", async () => {
    await withServer({}, async (ask) => {
      const statuses = [
        await ask("nonsense"),
        await ask(makeKey(), undefined, "/usage"),
        await ask(makeKey(), undefined, "/shards/nowhere/players"),
        await ask(makeKey(), undefined, "/usage"),
      ].map(({ status }) => status);
      expect(statuses).toEqual([401, 401, 401, 429]);
    });
  });

  test("do not lock out a key in use, but a new key has to wait: it might be a lucky guess", async () => {
    await withServer({}, async (ask, [inUse, unused], clock) => {
      expect((await ask(inUse!)).status).toBe(200);
      await guess(ask, 4);
      expect((await ask(inUse!)).status).toBe(200);
      expect((await ask(unused!)).status).toBe(429);
      clock.advance(20_000);
      expect((await ask(unused!)).status).toBe(200);
    });
  });

  test("are not counted for requests without a key, or if the setting is 0", async () => {
    await withServer({}, async (ask) => {
      for (let time = 0; time < 5; time++) expect((await ask(null)).status).toBe(401);
      expect((await ask(makeKey())).status).toBe(401);
    });
    await withServer({ "open-requests-per-minute": 0 }, async (ask) => {
      expect(new Set(await guess(ask, 100))).toEqual(new Set([401]));
    });
  });
});

describe("the client address", () => {
  test("is the peer's unless that is a trusted proxy", async () => {
    await withServer({}, async (ask) => {
      expect(await guess(ask, 2, "1.1.1.1")).toEqual([401, 401]);
      expect(await guess(ask, 2, "2.2.2.2")).toEqual([401, 429]);
    });
  });

  test("is the one that a trusted proxy forwards", async () => {
    await withServer(BEHIND_PROXIES, async (ask) => {
      expect(await guess(ask, 4, "1.1.1.1")).toEqual([401, 401, 401, 429]);
      expect(await guess(ask, 1, "2.2.2.2")).toEqual([401]);
    });
  });

  test.each([
    [
      "the last one that is not a trusted proxy, so that it cannot be forged",
      "9.9.9.9, 1.1.1.1, 10.2.3.4",
    ],
    ["the same after a word that is not an IP address", "nonsense, 1.1.1.1"],
    ["the same as an IPv4-mapped IPv6 address", "::ffff:1.1.1.1"],
  ])("is %s", async (_, forwarded) => {
    await withServer(BEHIND_PROXIES, async (ask) => {
      await guess(ask, 3, "1.1.1.1");
      expect(await guess(ask, 1, forwarded)).toEqual([429]);
    });
  });

  test("is the /64 network of an IPv6 caller", async () => {
    await withServer(BEHIND_PROXIES, async (ask) => {
      await guess(ask, 3, "2001:db8:1:2::1");
      expect(await guess(ask, 1, "2001:db8:1:2:ffff::7")).toEqual([429]);
      expect(await guess(ask, 1, "2001:DB8:1:3::1")).toEqual([401]);
    });
  });
});
