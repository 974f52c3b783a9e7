/** Tests error documents: what failures reveal, and which check comes first. Each error code is in test/contract. */

import { afterAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { writeDamagedShard } from "../support/damaged-shard.ts";
import { sqliteRows } from "../support/engine-sqlite.ts";
import { serveWithKeys, TestClock } from "../support/keys.ts";
import { problemIn } from "../support/problems.ts";
import { aMatch, duel } from "../support/records.ts";
import { startWorld } from "../support/world.ts";

const world = await startWorld([
  aMatch({ id: "match-a", rosters: duel({ id: "player-a" }, { id: "player-b" }) }),
  aMatch({ id: "match-b", shard: "hurt" }),
]);
const HURT = Uint8Array.of(0, 0, 0, 0, 0x0b, 0xad, 0xca, 0xfe);
sqliteRows(join(world.data, "hurt.db")).change("match", {}, { document: HURT });
writeDamagedShard(join(world.data, "away.db"));
// Its clock stands still, so that nothing is refilled.
const server = await serveWithKeys(world, [{ rate: 1 }], {}, new TestClock());
const [limited] = server.keys;
await world.get(`${server.url}/shards/na/players`, { Authorization: `Bearer ${limited}` });
afterAll(async () => {
  await server.stop();
  await world.stop();
});

const M = "/shards/na/matches";

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

test("input is quoted safely: any text is returned as a JSON string", async () => {
  const name = '"><script>\u0000\u2028é🎮';
  const response = await world.get(`${M}?${encodeURIComponent(name)}=1`);
  expect(response.status).toBe(400);
  expect(problemIn(response).source).toEqual({ parameter: name });
  expect(response.headers.get("x-content-type-options")).toBe("nosniff");
});
