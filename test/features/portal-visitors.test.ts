/** Portal visitors: tokens instead of keys, limits by client address, and nothing where the setting is off. */

import { afterAll, describe, expect, test } from "bun:test";
import { Visitors } from "../../src/access/visitors.ts";
import type { Tier } from "../../src/domain/limits.ts";
import type { Event } from "../../src/observe/events.ts";
import type { Settings } from "../../src/settings/definitions.ts";
import { AddressSet } from "../../src/settings/trusted-proxies.ts";
import { serve } from "../../src/wiring.ts";
import { startAdminWorld } from "../support/admin.ts";
import { hasEndpoint } from "../support/endpoints.ts";
import { StreamClient } from "../support/event-stream.ts";
import { TestClock } from "../support/keys.ts";
import { anonymous, expectProblem, problemIn } from "../support/problems.ts";
import { aMatch, duel } from "../support/records.ts";
import { until } from "../support/state.ts";
import { type Reply, startWorld } from "../support/world.ts";

const world = await startWorld([
  ...Array.from({ length: 4 }, (_, at) =>
    aMatch({ id: `match-${at}`, rosters: duel({ id: "player-a" }, { id: "player-b" }) }),
  ),
  aMatch({ id: "beta-a", shard: "beta" }),
]);
afterAll(() => world.stop());

const proxies = AddressSet.parse("127.0.0.1,::1") as { value: AddressSet };
const MINUTE = 60_000;
const MATCH = "/shards/na/matches/match-0";

const visitorTier = (limits: Partial<Tier>): readonly Tier[] => [
  { name: "hobby" },
  { name: "visitor", ...limits },
];

async function serving(settings: Partial<Settings> = {}) {
  const clock = new TestClock();
  const events: Event[] = [];
  const all = {
    ...world.settings,
    "portal-visitors": "on" as const,
    "trusted-proxies": proxies.value,
    ...settings,
  };
  const server = await serve(all, (event) => events.push(event), clock);
  const token = async () => {
    const response = await fetch(`${server.url}/portal/visitor-token`);
    return ((await response.json()) as { token: string }).token;
  };
  const get = (path: string, credentials: string | null, from = "1.1.1.1") =>
    world.get(`${server.url}${path}`, {
      Authorization: credentials === null ? null : `Bearer ${credentials}`,
      "X-Forwarded-For": from,
    });
  return {
    ...{ url: server.url, key: world.key, clock, events, token, get },
    [Symbol.asyncDispose]: () => server.stop("test"),
  };
}

async function statuses(times: number, ask: () => Promise<Reply>): Promise<number[]> {
  const all: number[] = [];
  for (let time = 0; time < times; time++) all.push((await ask()).status);
  return all;
}

describe("a visitor token", () => {
  test("is given to anybody, says when it ends, and must not be stored or read by other sites", async () => {
    await using site = await serving();
    const response = await fetch(`${site.url}/portal/visitor-token`);
    const { token, expiresAt, expiresIn } = (await response.json()) as Record<string, string>;
    expect(response.headers.get("cache-control")).toBe("no-store");
    expect(response.headers.get("access-control-allow-origin")).toBeNull();
    expect(token).toMatch(/^mbv_/);
    const lasts = new Date(expiresAt!).getTime() - site.clock.now();
    expect(lasts).toBeWithin(15 * MINUTE, 16 * MINUTE + 1);
    expect(Number(expiresIn)).toBe(Math.floor(lasts / 1000));
  });

  test("opens every endpoint as a key does", async () => {
    await using site = await serving();
    const visitor = await site.token();
    const paths = [
      "/shards/na/matches",
      MATCH,
      "/shards/na/players/player-a",
      "/shards/na/player-names?filter[near]=Ada",
      "/shards/na/leaderboards/ranked-wins",
      "/shards/na/heroes",
      "/shards/na/changes",
    ];
    for (const path of paths.filter(hasEndpoint)) {
      const response = await site.get(path, visitor);
      expect([path, response.status]).toEqual([path, 200]);
      expect(response.headers.get("vary")).toContain("Authorization");
      expect(response.headers.get("cache-control")).toContain("private");
    }
  });

  test("is valid until it ends, and no longer", async () => {
    await using site = await serving();
    const visitor = await site.token();
    site.clock.advance(15 * MINUTE - 1);
    expect((await site.get(MATCH, visitor)).status).toBe(200);
    site.clock.advance(MINUTE + 1);
    expect((await site.get(MATCH, visitor)).status).toBe(401);
    expect((await site.get(MATCH, await site.token())).status).toBe(200);
  });

  test("that is expired, forged, damaged or of another server gets the same 401 as no key", async () => {
    await using site = await serving();
    const none = anonymous(await site.get(MATCH, null));
    const visitor = await site.token();
    const limits = { tier: "", rate: 9, burst: 9, matchesPerDay: 9, shards: ["*"] };
    const foreign = new Visitors(
      "another secret",
      { ...limits, streams: 1, changesPerMinute: 1 },
      undefined as never,
    ).issue(site.clock.now()).token;
    const [, end] = visitor.split("_");
    const later = (Number.parseInt(end!, 36) + 1000).toString(36);
    for (const wrong of [
      foreign,
      visitor.slice(0, -1),
      `${visitor}A`,
      visitor.toUpperCase(),
      visitor.replace(end!, later),
      "mbv_",
      "mbv___",
      `mbv_${"z".repeat(500)}`,
    ]) {
      const response = await site.get(MATCH, wrong);
      expect([wrong, response.status, anonymous(response)]).toEqual([wrong, 401, none]);
    }
    site.clock.advance(20 * MINUTE);
    expect(anonymous(await site.get(MATCH, visitor))).toEqual(none);
  });

  test("does not count as a guessed key when it has ended, and works while others guess", async () => {
    await using site = await serving({ "open-requests-per-minute": 60 });
    const old = await site.token();
    site.clock.advance(20 * MINUTE);
    expect(await statuses(10, () => site.get(MATCH, old))).toEqual(Array(10).fill(401));
    expect(await statuses(4, () => site.get(MATCH, "nonsense"))).toEqual([401, 401, 401, 429]);
    expect((await site.get(MATCH, await site.token())).status).toBe(200);
  });

  test("is not accepted by the admin listener, which shows the usage of visitors", async () => {
    const flags = { "portal-visitors": "on" };
    await using admin = await startAdminWorld([aMatch({ id: "match-0" })], flags);
    const response = await fetch(`${admin.url}/portal/visitor-token`);
    const { token } = (await response.json()) as { token: string };
    const Authorization = `Bearer ${token}`;
    for (const path of ["/keys", "/metrics"]) {
      expect((await admin.ask("GET", path, undefined, { Authorization })).status).toBe(401);
    }
    // The operator sees how much visitors use.
    await admin.get(MATCH, { Authorization });
    const keys = await until("their usage is stored", async () => {
      const { keys } = (await admin.ask("GET", "/overview")).body;
      return keys.some(({ id }: { id: string }) => id === "visitors") && keys;
    });
    const shown = { id: "visitors", name: "portal visitors", tier: "visitor", requestsToday: 1 };
    expect(keys).toContainEqual(
      expect.objectContaining({ ...shown, matchesToday: null, matchesPerDay: 1000 }),
    );
    const { text } = await admin.ask("GET", "/metrics");
    expect(text).toMatch(/^matchbook_tier_requests_total\{tier="visitor"\} 1$/m);
  });

  test("never reaches the log", async () => {
    await using site = await serving();
    const visitor = await site.token();
    await site.get(MATCH, visitor);
    await site.get("/shards/na/matches?nonsense=1", visitor);
    await site.get(MATCH, `${visitor}x`);
    expect(JSON.stringify(site.events)).not.toContain("mbv_");
    expect(site.events.filter(({ event }) => event === "request").length).toBeGreaterThanOrEqual(3);
  });
});

describe("visitors", () => {
  test("are limited by client address, by the built-in limits of their tier", async () => {
    await using site = await serving();
    const visitor = await site.token();
    const first = await site.get(MATCH, visitor, "1.1.1.1");
    expect(first.headers.get("ratelimit-policy")).toBe('"default";q=120;w=60');
    expect(await statuses(120, () => site.get(MATCH, visitor, "1.1.1.1"))).toEqual([
      ...Array(119).fill(200),
      429,
    ]);
    const refused = await site.get(MATCH, visitor, "1.1.1.1");
    expect(problemIn(refused).code).toBe("rate-limited");
    expect(Number(refused.headers.get("retry-after"))).toBe(1);
    // Another token changes nothing; another address does.
    expect((await site.get(MATCH, await site.token(), "1.1.1.1")).status).toBe(429);
    expect((await site.get(MATCH, visitor, "2.2.2.2")).status).toBe(200);
  });

  test("have a daily match quota by address, which ends with the day", async () => {
    const tiers = visitorTier({ rate: 1000, matchesPerDay: 2 });
    await using site = await serving({ tiers });
    site.clock.advance(86_400_000 - (site.clock.now() % 86_400_000) + MINUTE);
    const visitor = await site.token();
    const read = (at: number, from?: string) =>
      site.get(`/shards/na/matches/match-${at}`, visitor, from);
    expect(await statuses(3, () => read(0))).toEqual([200, 200, 200]);
    expect((await read(1)).status).toBe(200);
    expectProblem(await read(2), "quota-exceeded");
    expect((await read(2, "2.2.2.2")).status).toBe(200);
    site.clock.advance(86_400_000);
    const tomorrow = await site.token();
    expect((await site.get("/shards/na/matches/match-2", tomorrow)).status).toBe(200);
  });

  test("do not use up the limits of keys, and keys not theirs", async () => {
    const tiers = visitorTier({ rate: 1 });
    await using site = await serving({ tiers });
    const visitor = await site.token();
    expect(await statuses(2, () => site.get(MATCH, visitor))).toEqual([200, 429]);
    expect(await statuses(5, () => site.get(MATCH, site.key))).toEqual(Array(5).fill(200));
    expect((await site.get(MATCH, visitor, "3.3.3.3")).status).toBe(200);
  });

  test("read the shards that are open to keys, unless their tier says otherwise", async () => {
    const closed = { "closed-shards": ["beta"] };
    await using site = await serving(closed);
    const beta = "/shards/beta/matches/beta-a";
    expectProblem(await site.get(beta, await site.token()), "shard-closed");
    await using other = await serving({ ...closed, tiers: visitorTier({ shards: ["beta"] }) });
    const visitor = await other.token();
    expect((await other.get(beta, visitor)).status).toBe(200);
    expect((await other.get(MATCH, visitor)).status).toBe(403);
  });

  test("see the limits of their address at /usage, and nobody's usage", async () => {
    const tiers = visitorTier({ rate: 30, matchesPerDay: 7 });
    await using site = await serving({ tiers });
    const visitor = await site.token();
    await site.get(MATCH, visitor, "9.9.9.9");
    await site.get("/shards/na/matches/match-1", visitor, "1.1.1.1");
    const { status, body } = await site.get("/usage", visitor, "1.1.1.1");
    expect(status).toBe(200);
    expect(body.key).toEqual({ id: "visitors", name: "portal visitors", tier: "visitor" });
    expect(body.limits).toMatchObject({ requestsPerMinute: 30, matchesPerDay: 7 });
    expect(body.today).toMatchObject({ matches: 1, matchesLeft: 6 });
    expect(body.days).toEqual([]);
  });

  if (hasEndpoint("/shards/na/changes"))
    test("may follow changes longer than a token lasts, as many at once as their tier allows", async () => {
      const toml = "[tiers.visitor]\nstreams = 1\n";
      const clock = new TestClock();
      const pace = { pollMs: 5, keyCheckMs: 20, heartbeatMs: 20 };
      const flags = { "portal-visitors": "on" };
      await using live = await startWorld([aMatch()], flags, clock, toml, undefined, pace);
      const response = await fetch(`${live.url}/portal/visitor-token`);
      const { token } = (await response.json()) as { token: string };
      const headers = { Authorization: `Bearer ${token}` };
      using stream = await StreamClient.open(`${live.url}/shards/na/changes`, headers);
      const second = { ...headers, Accept: "text/event-stream" };
      expect((await live.get("/shards/na/changes", second)).status).toBe(429);
      clock.advance(60 * MINUTE);
      expect((await live.get(MATCH, headers)).status).toBe(401);
      // Its key would have been checked by then.
      await stream.untilComments(5);
      await live.ingest([aMatch({ id: "match-new" })]);
      expect((await stream.changes(1))[0].relationships.match.data.id).toBe("match-new");
    });
});

describe("where the setting is off", () => {
  test("there are no tokens, and those of other servers are invalid, which are valid where it is on", async () => {
    const secret = { "admin-token": "s".repeat(24) };
    await using site = await serving(secret);
    const visitor = await site.token();
    await using other = await serving(secret);
    expect((await other.get(MATCH, visitor)).status).toBe(200);
    await using off = await serving({ "portal-visitors": "off", ...secret });
    expect((await fetch(`${off.url}/portal/visitor-token`)).status).toBe(404);
    expect((await off.get(MATCH, visitor)).status).toBe(401);
    expect(await (await fetch(`${off.url}/`)).text()).not.toContain("matchbook-visitors");
  });

  test("or the portal is, visitors have no access; it is by default", async () => {
    await using site = await serving({ portal: "off" });
    expect((await fetch(`${site.url}/portal/visitor-token`)).status).toBe(404);
    expect(world.settings["portal-visitors"]).toBe("off");
  });
});

test("tokens are limited like everything that needs no key", async () => {
  await using site = await serving({ "open-requests-per-minute": 2 });
  const ask = async () => (await fetch(`${site.url}/portal/visitor-token`)).status;
  expect([await ask(), await ask(), await ask()]).toEqual([200, 200, 429]);
});
