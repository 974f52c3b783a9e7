/** Tests error documents: one request for every error code. */

import { Database } from "bun:sqlite";
import { afterAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { makeKey } from "../../src/access/key.ts";
import { ERRORS } from "../../src/domain/errors.ts";
import { BUGGY_PLAYER, simulateBug } from "../support/bug.ts";
import { writeDamagedShard } from "../support/damaged-shard.ts";
import { sqliteRows } from "../support/engine-sqlite.ts";
import { StreamClient } from "../support/event-stream.ts";
import { serveWithKeys, serveWithoutKeys, TestClock } from "../support/keys.ts";
import { problemIn } from "../support/problems.ts";
import { aMatch, duel } from "../support/records.ts";
import { startWorld } from "../support/world.ts";

const world = await startWorld([
  aMatch({ id: "match-a", rosters: duel({ id: "player-a" }, { id: "player-b" }) }),
  aMatch({ id: "match-c" }),
  aMatch({ id: "match-b", shard: "hurt" }),
  aMatch({ id: "match-d", shard: "beta" }),
]);
const HURT = Uint8Array.of(0, 0, 0, 0, 0x0b, 0xad, 0xca, 0xfe);
sqliteRows(join(world.data, "hurt.db")).change("match", {}, { document: HURT });
// It cannot be built from a damaged match.
sqliteRows(join(world.data, "hurt.db")).remove("derived table");
writeDamagedShard(join(world.data, "away.db"));
const usage = new Database(join(world.data, "usage.sqlite"));
usage.run("ALTER TABLE days RENAME TO gone");
usage.close();
const server = await serveStrictly();
const [limited, used] = server.keys as [string, string];
await world.get(`${server.url}/shards/na/players`, { Authorization: `Bearer ${limited}` });
await world.get(`${server.url}/shards/na/matches/match-a`, { Authorization: `Bearer ${used}` });
await world.get(`${server.url}/shards/na/players`, { Authorization: `Bearer ${makeKey()}` });
const stream = await StreamClient.open(`${server.url}/shards/na/changes`, {
  Authorization: `Bearer ${used}`,
});
const keyless = await serveWithoutKeys(world);
// It has no place for any request.
const full = await serveWithKeys(world, [], { "max-in-flight": 0 });
const fixBug = simulateBug();
afterAll(async () => {
  fixBug();
  stream.close();
  await full.stop();
  await keyless.stop();
  await server.stop();
  await world.stop();
});

/**
 * Starts a second server with a key for one request a minute and one for a single match a day; it accepts
 * one invalid key a minute, and one stream for each key. Its clock stands still, so that nothing is refilled.
 */
function serveStrictly() {
  const settings = {
    shards: ["na", "beta"].map((id) => ({ id, location: undefined })),
    "closed-shards": ["beta"],
    "open-requests-per-minute": 20,
    tiers: [{ name: "hobby", streams: 1 }],
  };
  return serveWithKeys(world, [{ rate: 1 }, { matchesPerDay: 1 }], settings, new TestClock());
}

interface Case {
  code: keyof typeof ERRORS;
  status: number;
  path: string;
  headers?: Record<string, string | null>;
  method?: string;
  source?: { parameter: string } | { header: string };
}

const M = "/shards/na/matches";
const { next } = (await world.get(`${M}?page[limit]=1`)).body.links;
const cursor = new URL(next).searchParams.get("page[after]");
const CASES: Case[] = [
  { code: "malformed-query", status: 400, path: `${M}?sort=%zz`, source: { parameter: "sort" } },
  {
    code: "unknown-parameter",
    status: 400,
    path: `${M}?filter[playerName]=A`,
    source: { parameter: "filter[playerName]" },
  },
  {
    code: "repeated-parameter",
    status: 400,
    path: `${M}?sort=createdAt&sort=createdAt`,
    source: { parameter: "sort" },
  },
  {
    code: "empty-parameter",
    status: 400,
    path: `${M}?filter[teamNames]=`,
    source: { parameter: "filter[teamNames]" },
  },
  {
    code: "invalid-parameter",
    status: 400,
    path: `${M}?page[limit]=6`,
    source: { parameter: "page[limit]" },
  },
  {
    code: "conflicting-parameters",
    status: 400,
    path: `${M}?page[offset]=1&page[after]=${cursor}`,
    source: { parameter: "page[offset]" },
  },
  {
    code: "too-many-values",
    status: 400,
    path: `${M}?filter[playerIds]=${Array.from({ length: 51 }, (_, i) => `p${i}`)}`,
    source: { parameter: "filter[playerIds]" },
  },
  {
    code: "invalid-window",
    status: 400,
    path: `${M}?filter[createdAt-start]=2020-01-02T00:00:00Z&filter[createdAt-end]=2020-01-01T00:00:00Z`,
    source: { parameter: "filter[createdAt-start]" },
  },
  {
    code: "invalid-cursor",
    status: 400,
    path: `${M}?page[before]=nonsense`,
    source: { parameter: "page[before]" },
  },
  {
    code: "offset-too-deep",
    status: 400,
    path: `${M}?page[offset]=10001`,
    source: { parameter: "page[offset]" },
  },
  {
    code: "unknown-include-path",
    status: 400,
    path: `${M}?include=roster`,
    source: { parameter: "include" },
  },
  {
    code: "unknown-type",
    status: 400,
    path: `${M}?fields[mach]=a`,
    source: { parameter: "fields[mach]" },
  },
  {
    code: "unauthorized",
    status: 401,
    path: M,
    headers: { Authorization: null },
    source: { header: "Authorization" },
  },
  { code: "unknown-route", status: 404, path: "/nowhere" },
  { code: "unknown-shard", status: 404, path: "/shards/nb/matches" },
  { code: "not-found", status: 404, path: `${M}/nobody` },
  { code: "method-not-allowed", status: 405, path: M, method: "DELETE" },
  {
    code: "not-acceptable",
    status: 406,
    path: M,
    headers: { Accept: "application/json" },
    source: { header: "Accept" },
  },
  { code: "cursor-expired", status: 410, path: "/shards/na/changes?page[after]=1-1" },
  { code: "uri-too-long", status: 414, path: `${M}?filter[playerNames]=${"a".repeat(9000)}` },
  {
    code: "rate-limited",
    status: 429,
    path: `${server.url}${M}`,
    headers: { Authorization: `Bearer ${limited}` },
  },
  {
    code: "shard-closed",
    status: 403,
    path: `${server.url}/shards/beta/matches`,
    headers: { Authorization: `Bearer ${used}` },
  },
  {
    code: "quota-exceeded",
    status: 429,
    path: `${server.url}${M}`,
    headers: { Authorization: `Bearer ${used}` },
  },
  {
    code: "too-many-failures",
    status: 429,
    path: `${server.url}${M}`,
    headers: { Authorization: `Bearer ${makeKey()}` },
    source: { header: "Authorization" },
  },
  {
    code: "too-many-streams",
    status: 429,
    path: `${server.url}/shards/na/changes?page[wait]=1`,
    headers: { Authorization: `Bearer ${used}` },
  },
  { code: "internal-error", status: 500, path: `/shards/na/players/${BUGGY_PLAYER}` },
  { code: "damaged-data", status: 503, path: "/shards/hurt/matches/match-b" },
  {
    code: "keys-unavailable",
    status: 503,
    path: `${keyless.url}${M}`,
  },
  { code: "not-ready", status: 503, path: "/shards/hurt/heroes" },
  { code: "overloaded", status: 503, path: `${full.url}${M}` },
  { code: "shard-unavailable", status: 503, path: "/shards/away/matches" },
  { code: "usage-unavailable", status: 503, path: "/usage" },
];

describe("each error has its code, its status and its source:", () => {
  test.each(CASES.map((one) => [one.code, one] as const))("%s", async (code, one) => {
    const response = await world.get(one.path, one.headers, one.method);
    expect(response.status).toBe(one.status);
    const problem = problemIn(response);
    expect(problem.code).toBe(code);
    expect(problem.status).toBe(String(one.status));
    expect(problem.title).toBe(ERRORS[code].title);
    expect(problem.source).toEqual(one.source as never);
  });

  test("the list is complete", () => {
    expect(new Set(CASES.map(({ code }) => code))).toEqual(new Set(Object.keys(ERRORS)) as never);
  });
});

describe("failures of the service itself", () => {
  test.each(["/shards/hurt/matches/match-b", "/shards/hurt/matches", "/shards/away/matches"])(
    "reveal no internals: %s",
    async (path) => {
      const response = await world.get(path);
      expect(response.status).toBeGreaterThanOrEqual(500);
      const text = response.text + JSON.stringify([...response.headers]);
      for (const secret of [
        world.data,
        "sqlite",
        "SQLite",
        "fragment",
        "checksum",
        ".ts",
        "Error",
        "    at ",
      ]) {
        expect(text).not.toContain(secret);
      }
    },
  );

  test("that are temporary say when to retry", async () => {
    const response = await world.get("/shards/away/matches");
    expect(Number(response.headers.get("retry-after"))).toBeGreaterThan(0);
  });

  test("are charged like any other authenticated request", async () => {
    const response = await world.get("/shards/hurt/matches/match-b");
    expect(response.headers.get("ratelimit")).not.toBeNull();
  });

  test("do not affect other shards", async () => {
    expect((await world.get(`${M}/match-a`)).status).toBe(200);
  });
});

describe("checks come in this order:", () => {
  const WRONG = {
    accept: { Accept: "text/html" },
    key: { Authorization: null },
    limited: { Authorization: `Bearer ${limited}` },
  };
  const nobody = { ...WRONG.key, ...WRONG.accept };
  const elsewhere = "/shards/nowhere/matches";
  const ORDER: [
    name: string,
    path: string,
    headers: Record<string, string | null>,
    code: string,
    method: string,
  ][] = [
    ["route before method", "/nowhere", nobody, "unknown-route", "DELETE"],
    ["method before credentials", M, nobody, "method-not-allowed", "DELETE"],
    ["credentials before Accept", M, nobody, "unauthorized", "GET"],
    ["credentials before the shard", elsewhere, WRONG.key, "unauthorized", "GET"],
    ["credentials before parameters", `${M}?nonsense=1`, WRONG.key, "unauthorized", "GET"],
    ["credentials before data", `${M}/nobody`, WRONG.key, "unauthorized", "GET"],
    [
      "the rate limit before Accept",
      `${server.url}${M}`,
      { ...WRONG.limited, ...WRONG.accept },
      "rate-limited",
      "GET",
    ],
    [
      "the rate limit before the shard",
      server.url + elsewhere,
      WRONG.limited,
      "rate-limited",
      "GET",
    ],
    [
      "the rate limit before parameters",
      `${server.url}${M}?nonsense=1`,
      WRONG.limited,
      "rate-limited",
      "GET",
    ],
    ["Accept before the shard", elsewhere, WRONG.accept, "not-acceptable", "GET"],
    ["Accept before parameters", `${M}?nonsense=1`, WRONG.accept, "not-acceptable", "GET"],
    ["the shard before parameters", `${elsewhere}?nonsense=1`, {}, "unknown-shard", "GET"],
    ["the shard before data", `${elsewhere}/nobody`, {}, "unknown-shard", "GET"],
    ["parameters before data", `${M}/nobody?nonsense=1`, {}, "unknown-parameter", "GET"],
    [
      "parameters before data, of players",
      "/shards/na/players/nobody?sort=x",
      {},
      "unknown-parameter",
      "GET",
    ],
  ];
  test.each(ORDER)("%s", async (_, path, headers, code, method) => {
    expect(problemIn(await world.get(path, headers, method)).code).toBe(code);
  });

  test("credentials before the rate limit", async () => {
    const clock = new TestClock();
    const terms = { rate: 1, burst: 1, expiresAt: clock.now() + 1000 };
    await using other = await startWorld([aMatch()]);
    await using limited = await serveWithKeys(other, [terms], {}, clock);
    const request = async () =>
      (await other.get(`${limited.url}${M}`, { Authorization: `Bearer ${limited.keys[0]}` }))
        .status;
    expect([await request(), await request()]).toEqual([200, 429]);
    clock.advance(2000);
    expect(await request()).toBe(401);
  });
});

test.each(["/events", "/shards/na/events", `${M}/match-a/events`])(
  "there are no events: %s is an unknown URL",
  async (path) => {
    const response = await world.get(path);
    expect([response.status, problemIn(response).code]).toEqual([404, "unknown-route"]);
  },
);

test("input is quoted safely: any text is returned as a JSON string", async () => {
  const name = '"><script>\u0000\u2028é🎮';
  const response = await world.get(`${M}?${encodeURIComponent(name)}=1`);
  expect(response.status).toBe(400);
  expect(problemIn(response).source).toEqual({ parameter: name });
  expect(response.headers.get("x-content-type-options")).toBe("nosniff");
});
