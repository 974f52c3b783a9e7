/** Tests /usage: what callers learn about their own key. */

import { afterAll, describe, expect, test } from "bun:test";
import { ROUTES } from "../../src/http/routes.ts";
import { serveWithKeys, TestClock } from "../support/keys.ts";
import { expectProblem } from "../support/problems.ts";
import { aMatch, duel } from "../support/records.ts";
import { type Reply, startWorld } from "../support/world.ts";

const NOON = Date.UTC(2026, 2, 10, 12);
const world = await startWorld(
  ["match-a", "match-b", "match-c"].map((id, index) =>
    aMatch({
      id,
      createdAt: new Date(NOON - 60_000 * (index + 1)).toISOString(),
      rosters: duel({ id: "player-a" }, { id: "player-b" }),
    }),
  ),
);
afterAll(() => world.stop());

type Ask = (path: string, headers?: Record<string, string>, method?: string) => Promise<Reply>;

async function serving(
  work: (ask: Ask[], clock: TestClock) => Promise<void>,
  clock = new TestClock(NOON),
  known: string[] = [],
): Promise<string[]> {
  const wanted = known.length > 0 ? [] : [{ name: "stats site", rate: 100 }, { name: "bot" }];
  await using server = await serveWithKeys(world, wanted, { "matches-per-day": 500 }, clock);
  const keys = [...known, ...server.keys];
  await work(
    keys.map((key) => (path, headers = {}, method) => {
      const all = { Authorization: `Bearer ${key}`, ...headers };
      return world.get(`${server.url}${path}`, all, method);
    }),
    clock,
  );
  return keys;
}

describe("/usage", () => {
  test("requires a key, but no Accept header", async () => {
    expect((await world.get("/usage", { Accept: null })).status).toBe(200);
    expectProblem(await world.get("/usage", { Authorization: null }), "unauthorized");
  });

  test("reports the key's limits, today's usage and the days on which it was used", async () => {
    await serving(async ([ask], clock) => {
      clock.advance(-24 * 3_600_000);
      await ask!("/shards/na/matches/nobody");
      clock.advance(24 * 3_600_000);
      const page = await ask!("/shards/na/matches?page[limit]=2");
      await ask!("/shards/na/matches?page[limit]=2", {
        "If-None-Match": page.headers.get("etag")!,
      });
      await ask!("/shards/na/players");
      await ask!("/shards/na/players?nonsense=1");
      expect((await ask!("/usage")).body).toEqual({
        key: { id: expect.stringMatching(/^k_/), name: "stats site", tier: "hobby" },
        limits: {
          requestsPerMinute: 100,
          burst: 100,
          matchesPerDay: 500,
          shards: ["*"],
          streams: 10,
          changesPerMinute: 6000,
        },
        today: { day: "2026-03-10", matches: 2, matchesLeft: 498, resetSeconds: 12 * 3600 },
        days: [
          {
            day: "2026-03-09",
            requests: { 404: 1 },
            records: 0,
            lastSeen: "2026-03-09T12:00:00Z",
          },
          {
            day: "2026-03-10",
            requests: { 200: 2, 304: 1, 400: 1 },
            records: 4,
            lastSeen: "2026-03-10T12:00:00Z",
          },
        ],
      });
    });
  });

  test("reveals nothing about other keys", async () => {
    await serving(async ([one, other]) => {
      await one!("/shards/na/matches");
      const { body } = await other!("/usage");
      expect(body.key.name).toBe("bot");
      expect(body.days).toEqual([]);
      expect(body.today.matches).toBe(0);
    });
  });

  test("covers the last 30 days and no more", async () => {
    await serving(async ([ask], clock) => {
      await ask!("/shards/na/players");
      clock.advance(29 * 24 * 3_600_000);
      expect((await ask!("/usage")).body.days).toHaveLength(1);
      clock.advance(24 * 3_600_000);
      expect((await ask!("/usage")).body.days.map(({ day }: { day: string }) => day)).toEqual([
        "2026-04-08",
      ]);
    });
  });

  test("survives a restart", async () => {
    const clock = new TestClock(NOON);
    const keys = await serving(async ([ask]) => void (await ask!("/shards/na/matches")), clock);
    await serving(
      async ([ask]) => {
        const { body } = await ask!("/usage");
        expect(body.today.matches).toBe(3);
        expect(body.days[0]).toMatchObject({ requests: { 200: 1 }, records: 3 });
      },
      clock,
      keys,
    );
  });
});

describe("in the route table", () => {
  const concrete = (path: string) => path.replace(":shard", "na").replace(":id", "match-a");
  const guarded = ROUTES.filter(({ access }) => access !== "open");

  test("everything under /shards, and every route that is not open, requires a key", async () => {
    expect(ROUTES.filter(({ path }) => path.startsWith("/shards"))).not.toBeEmpty();
    for (const { path, access } of ROUTES) {
      if (path.startsWith("/shards")) expect([path, access]).toEqual([path, "key"]);
    }
    for (const { path } of guarded) {
      for (const method of ["GET", "HEAD"]) {
        const reply = await world.get(concrete(path), { Authorization: null }, method);
        expect([path, method, reply.status]).toEqual([path, method, 401]);
        expect(reply.headers.get("www-authenticate")).toBe("Bearer");
      }
    }
  });
});
