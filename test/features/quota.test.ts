/** The daily match quota stops scrapers, and no one else. */

import { afterAll, describe, expect, test } from "bun:test";
import { type KeyIn, serveWithKeys, TestClock } from "../support/keys.ts";
import { problemIn } from "../support/problems.ts";
import { aMatch, duel } from "../support/records.ts";
import { type Reply, startWorld } from "../support/world.ts";

const HOUR = 3_600_000;
const NOON = Date.UTC(2026, 2, 10, 12);
const MATCHES = 400;
const PLAYERS = 20;

/** A match every half hour, back from noon; all players meet their neighbours in turn. */
const matches = Array.from({ length: MATCHES }, (_, index) =>
  aMatch({
    id: `match-${index}`,
    createdAt: new Date(NOON - (index + 1) * (HOUR / 2)).toISOString(),
    rosters: duel({ id: `player-${index % PLAYERS}` }, { id: `player-${(index + 1) % PLAYERS}` }),
  }),
);
const world = await startWorld(matches);
afterAll(() => world.stop());

interface Caller {
  ask(path: string, headers?: Record<string, string>, method?: string): Promise<Reply>;
  clock: TestClock;
}

async function withKey<T>(terms: KeyIn, work: (caller: Caller) => Promise<T>): Promise<T> {
  const clock = new TestClock(NOON);
  await using server = await serveWithKeys(world, [terms], {}, clock);
  return await work({ ask: asker(server.url, server.keys[0]!), clock });
}

function asker(url: string, key: string): Caller["ask"] {
  return (path, headers = {}, method) =>
    world.get(
      path.startsWith("http") ? path : `${url}${path}`,
      { Authorization: `Bearer ${key}`, ...headers },
      method,
    );
}

const idsOf = ({ body }: Reply): string[] => body.data.map(({ id }: { id: string }) => id);
const time = (moment: number) => new Date(moment).toISOString();

/** Reads everything in windows of a day, by links, until it is refused. */
async function scrape({ ask }: Caller): Promise<{ got: Set<string>; refusal: Reply | undefined }> {
  const got = new Set<string>();
  for (let day = 0; day < 10; day++) {
    const end = NOON - day * 24 * HOUR;
    let path: string | undefined =
      `/shards/na/matches?filter[createdAt-start]=${time(end - 24 * HOUR)}&filter[createdAt-end]=${time(end - 1)}`;
    while (path) {
      const reply: Reply = await ask(path);
      if (reply.status !== 200) return { got, refusal: reply };
      for (const id of idsOf(reply)) got.add(id);
      path = reply.body.links.next;
    }
  }
  return { got, refusal: undefined };
}

describe("a scraper that pages through time windows", () => {
  test("is refused in every way on that day, and may continue on the next", async () => {
    await withKey({ matchesPerDay: 99 }, async (caller) => {
      const { got, refusal } = await scrape(caller);
      // The pages of a window of 48 matches: nine of five and one of three.
      expect(got.size).toBe(101);
      expect([refusal!.status, problemIn(refusal!).code]).toEqual([429, "quota-exceeded"]);
      expect(refusal!.headers.get("retry-after")).toBe(String(12 * 3600));
      for (const path of [
        "/shards/na/matches?page[limit]=1",
        "/shards/na/matches?page[offset]=200",
        "/shards/na/matches?filter[playerIds]=player-1&sort=createdAt",
        "/shards/na/matches/match-399",
      ]) {
        expect((await caller.ask(path)).status).toBe(429);
      }
      expect((await caller.ask("/shards/na/players/player-1")).status).toBe(200);
      caller.clock.advance(12 * HOUR - 1);
      expect((await caller.ask("/shards/na/matches/match-399")).status).toBe(429);
      caller.clock.advance(1);
      expect((await caller.ask("/shards/na/matches/match-399")).status).toBe(200);
    });
  });

  test("is also stopped when it reads single matches, however many at once", async () => {
    await withKey({ matchesPerDay: 100 }, async ({ ask }) => {
      const replies = await Promise.all(
        matches.map((_, index) => ask(`/shards/na/matches/match-${index}`)),
      );
      expect(replies.filter(({ status }) => status === 200)).toHaveLength(100);
      expect(replies.filter(({ status }) => status === 429)).toHaveLength(MATCHES - 100);
    });
  });

  test("stays stopped after a restart, and may still read what was counted", async () => {
    const clock = new TestClock(NOON);
    const first = await serveWithKeys(world, [{ matchesPerDay: 100 }], {}, clock);
    const key = first.keys[0]!;
    const { got } = await scrape({ ask: asker(first.url, key), clock });
    await first.stop();
    await using second = await serveWithKeys(world, [], {}, clock);
    const ask = asker(second.url, key);
    expect((await ask("/shards/na/matches/match-399")).status).toBe(429);
    for (const id of got) expect((await ask(`/shards/na/matches/${id}`)).status).toBe(200);
    expect((await ask("/usage")).body.today).toMatchObject({ matches: got.size, matchesLeft: 0 });
  });
});

describe("a page", () => {
  const newest = (count: number, offset = 0) =>
    `/shards/na/matches?sort=-createdAt&page[limit]=${count}&page[offset]=${offset}`;
  const today = async ({ ask }: Caller) => {
    const { matches, matchesLeft } = (await ask("/usage")).body.today;
    return [matches, matchesLeft];
  };

  test("that crosses the quota is served whole; after that, only matches that were counted that day are", async () => {
    await withKey({ matchesPerDay: 10 }, async (caller) => {
      const status = async (path: string, method?: string) =>
        (await caller.ask(path, {}, method)).status;
      expect(await status(newest(5))).toBe(200);
      expect(await status(newest(1, 5))).toBe(200);
      expect(await today(caller)).toEqual([6, 4]);

      const crossing = await caller.ask(newest(5, 6));
      expect(idsOf(crossing)).toHaveLength(5);
      expect(await today(caller)).toEqual([11, 0]);

      expect(await status(newest(5, 6))).toBe(200);
      expect(await status(newest(5, 3))).toBe(200);
      expect(await status(`/shards/na/matches/${idsOf(crossing)[4]}`)).toBe(200);
      expect(await status(newest(5, 7))).toBe(429);
      expect(await status(newest(1, 11))).toBe(429);
      expect(await today(caller)).toEqual([11, 0]);
    });
  });
});

test("without a quota nobody is stopped", async () => {
  await withKey({ matchesPerDay: 0 }, async (caller) => {
    const { got, refusal } = await scrape(caller);
    expect([got.size, refusal]).toEqual([MATCHES, undefined]);
    expect((await caller.ask("/usage")).body.today.matchesLeft).toBeNull();
  });
});

test("neither 304 nor HEAD nor errors are counted, or refused beyond the quota; a match counts once in any form", async () => {
  await withKey({ matchesPerDay: 3 }, async ({ ask }) => {
    const counted = async () => (await ask("/usage")).body.today.matches;
    const path = "/shards/na/matches?page[limit]=3";
    const uncounted = [
      ["HEAD", path],
      ["GET", "/shards/na/matches/nobody"],
      ["GET", `${path}&x=1`],
    ];
    for (const [method, url] of uncounted) await ask(url!, {}, method);
    expect(await counted()).toBe(0);
    const page = await ask(path);
    expect(await counted()).toBe(3);
    const etag = page.headers.get("etag");
    expect((await ask(path, { "If-None-Match": etag! })).status).toBe(304);
    const beyond = "/shards/na/matches?page[offset]=5";
    expect((await ask(beyond, {}, "HEAD")).status).toBe(200);
    expect((await ask("/shards/na/matches?page[offset]=400")).status).toBe(200);
    expect((await ask(beyond)).status).toBe(429);
    const [id] = idsOf(page);
    for (const form of ["include=", "fields[match]=duration"]) {
      expect((await ask(`/shards/na/matches/${id}?${form}`)).status).toBe(200);
    }
    expect(await counted()).toBe(3);
  });
});

test("a raised quota lets the key continue that day", async () => {
  const clock = new TestClock(NOON);
  const first = await serveWithKeys(world, [{ tier: null }], { "matches-per-day": 10 }, clock);
  const key = first.keys[0]!;
  await scrape({ ask: asker(first.url, key), clock });
  await first.stop();
  await using second = await serveWithKeys(world, [], { "matches-per-day": 20 }, clock);
  const { got } = await scrape({ ask: asker(second.url, key), clock });
  expect(got.size).toBe(20);
});
