/** Callers who guess keys are slowed down, and no one else. */

import { afterAll, describe, expect, test } from "bun:test";
import { makeKey } from "../../src/access/key.ts";
import type { Settings } from "../../src/settings/definitions.ts";
import { AddressSet } from "../../src/settings/trusted-proxies.ts";
import { serveWithKeys, TestClock } from "../support/keys.ts";
import { expectProblem } from "../support/problems.ts";
import { aMatch } from "../support/records.ts";
import { startWorld } from "../support/world.ts";

const world = await startWorld([aMatch({ id: "match-a" })]);
afterAll(() => world.stop());

const proxies = AddressSet.parse("127.0.0.1,10.0.0.0/8");
const BEHIND_PROXIES = { "trusted-proxies": (proxies as { value: AddressSet }).value };

/** A server with two keys and a clock of its own. */
async function serving(settings: Partial<Settings> = {}) {
  const clock = new TestClock();
  const all = { "open-requests-per-minute": 60, ...settings };
  const server = await serveWithKeys(world, [{}, {}], all, clock);
  const ask = (key: string | null, from?: string, path = "/shards/na/matches/match-a") =>
    server.ask(path, {
      Authorization: key === null ? null : `Bearer ${key}`,
      ...(from === undefined ? {} : { "X-Forwarded-For": from }),
    });
  /** Sends invalid keys; returns the statuses. */
  const guess = async (times: number, from?: string) => {
    const statuses: number[] = [];
    for (let time = 0; time < times; time++) statuses.push((await ask(makeKey(), from)).status);
    return statuses;
  };
  const [inUse, unused] = server.keys as [string, string];
  return { ask, guess, clock, inUse, unused, [Symbol.asyncDispose]: () => server.stop() };
}

describe("invalid keys", () => {
  test("get 401 as often as the setting allows, then 429 until Retry-After, and not a second earlier", async () => {
    await using site = await serving();
    expect(await site.guess(5)).toEqual([401, 401, 401, 429, 429]);
    const reply = await site.ask(makeKey());
    expect(reply.headers.get("retry-after")).toBe("20");
    expectProblem(reply, "too-many-failures", { header: "Authorization" });
    site.clock.advance(19_000);
    expect(await site.guess(1)).toEqual([429]);
    site.clock.advance(1000);
    expect(await site.guess(2)).toEqual([401, 429]);
  });

  test("count at every endpoint that needs a key, whatever is wrong with them", async () => {
    await using site = await serving();
    const statuses = [(await site.ask("nonsense")).status];
    for (const path of ["/usage", "/shards/nowhere/players", "/usage"]) {
      statuses.push((await site.ask(makeKey(), undefined, path)).status);
    }
    expect(statuses).toEqual([401, 401, 401, 429]);
  });

  test("do not lock out a key in use, but a new key has to wait: it might be a lucky guess", async () => {
    await using site = await serving();
    expect((await site.ask(site.inUse)).status).toBe(200);
    await site.guess(4);
    expect((await site.ask(site.inUse)).status).toBe(200);
    expect((await site.ask(site.unused)).status).toBe(429);
    site.clock.advance(20_000);
    expect((await site.ask(site.unused)).status).toBe(200);
  });

  test("are not counted for requests without a key, or if the setting is 0", async () => {
    await using site = await serving();
    for (let time = 0; time < 5; time++) expect((await site.ask(null)).status).toBe(401);
    expect(await site.guess(1)).toEqual([401]);
    await using unlimited = await serving({ "open-requests-per-minute": 0 });
    expect(new Set(await unlimited.guess(100))).toEqual(new Set([401]));
  });
});

describe("the client address", () => {
  test("is the peer's unless that is a trusted proxy", async () => {
    await using site = await serving();
    expect(await site.guess(2, "1.1.1.1")).toEqual([401, 401]);
    expect(await site.guess(2, "2.2.2.2")).toEqual([401, 429]);
  });

  test.each([
    ["the one that a trusted proxy forwards", "1.1.1.1", "1.1.1.1", "2.2.2.2"],
    // So that it cannot be forged.
    ["the last that is no proxy", "1.1.1.1", "9.9.9.9, 1.1.1.1, 10.2.3.4", "1.1.1.1, 9.9.9.9"],
    ["that also after a word", "1.1.1.1", "nonsense, 1.1.1.1", "nonsense, 2.2.2.2"],
    ["that also as IPv6", "1.1.1.1", "::ffff:1.1.1.1", "::ffff:2.2.2.2"],
    ["a /64 network", "2001:db8:1:2::1", "2001:db8:1:2:ffff::7", "2001:DB8:1:3::1"],
  ])("is %s", async (_, first, same, other) => {
    await using site = await serving(BEHIND_PROXIES);
    expect(await site.guess(3, first)).toEqual([401, 401, 401]);
    expect(await site.guess(1, same)).toEqual([429]);
    expect(await site.guess(1, other)).toEqual([401]);
  });
});
