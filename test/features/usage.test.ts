/** Tests /usage: what callers learn about their own key. */

import { afterAll, expect, test } from "bun:test";
import { openAccess } from "../../src/open-access.ts";
import { serveWithKeys, TestClock } from "../support/keys.ts";
import { aMatch, duel } from "../support/records.ts";
import { until } from "../support/state.ts";
import { startWorld } from "../support/world.ts";

const DAY = 86_400_000;
const NOON = Date.UTC(2026, 2, 10, 12);
const world = await startWorld(
  [1, 2, 3].map((minutes) =>
    aMatch({ createdAt: NOON - 60_000 * minutes, rosters: duel({ id: "a" }, { id: "b" }) }),
  ),
);
const access = openAccess({ data: world.data });
afterAll(async () => {
  await access.close();
  await world.stop();
});

/** Servers store usage every two seconds. */
const stored = (requests: number) =>
  until("so many requests are stored", async () => {
    const days = await access.usage.read(0);
    const counts = days.flatMap((day) => [...day.requests.values()]);
    return counts.reduce((sum, count) => sum + count, 0) === requests;
  });

/** A server with a clock of its own; each of its keys asks by itself. */
async function serving() {
  const clock = new TestClock(NOON);
  const keys = [{ name: "stats site", rate: 100 }, { name: "bot" }];
  const server = await serveWithKeys(world, keys, { "matches-per-day": 500 }, clock);
  const other = (path: string) => server.ask(path, {}, "GET", 1);
  return { clock, ask: server.ask, other, [Symbol.asyncDispose]: server.stop };
}

test("it has the key's limits, today's usage and the days on which it was used, and nothing of other keys", async () => {
  await using site = await serving();
  const { ask, clock } = site;
  clock.advance(-DAY);
  await ask("/shards/na/matches/nobody");
  clock.advance(DAY);
  const page = await ask("/shards/na/matches?page[limit]=2");
  await ask("/shards/na/matches?page[limit]=2", { "If-None-Match": page.headers.get("etag")! });
  await ask("/shards/na/players");
  await ask("/shards/na/players?nonsense=1");
  await stored(5);
  // It needs no Accept header.
  const { body } = await ask("/usage", { Accept: "text/html" });
  expect(body).toEqual({
    key: { id: expect.stringMatching(/^k_/), name: "stats site", tier: "hobby" },
    limits: {
      ...{ requestsPerMinute: 100, burst: 100, matchesPerDay: 500, shards: ["*"] },
      ...{ streams: 10, changesPerMinute: 6000 },
    },
    today: { day: "2026-03-10", matches: 2, matchesLeft: 498, resetSeconds: 12 * 3600 },
    days: [
      { day: "2026-03-09", requests: { 404: 1 }, records: 0, lastSeen: "2026-03-09T12:00:00Z" },
      {
        day: "2026-03-10",
        requests: { 200: 2, 304: 1, 400: 1 },
        records: 4,
        lastSeen: "2026-03-10T12:00:00Z",
      },
    ],
  });
  const others = (await site.other("/usage")).body;
  expect([others.key.name, others.days, others.today.matches]).toEqual(["bot", [], 0]);
});

test("it covers the last 30 days and no more", async () => {
  await using site = await serving();
  const days = async () =>
    (await site.ask("/usage")).body.days.map(({ day }: { day: string }) => day);
  await site.ask("/shards/na/players");
  await stored(8);
  site.clock.advance(29 * DAY);
  expect(await days()).toEqual(["2026-03-10"]);
  await stored(9);
  site.clock.advance(DAY);
  expect(await days()).toEqual(["2026-04-08"]);
});
