/** The daily match quota stops scrapers, and no one else. */

import { afterAll, expect, test } from "bun:test";
import { idsOf } from "../support/compound.ts";
import { ENDPOINT_URLS } from "../support/endpoints.ts";
import { type KeyIn, serveWithKeys, TestClock } from "../support/keys.ts";
import { problemIn } from "../support/problems.ts";
import { aMatch, duel } from "../support/records.ts";
import { type Reply, startWorld } from "../support/world.ts";

const HOUR = 3_600_000;
const NOON = Date.UTC(2026, 2, 10, 12);
const MATCHES = 400;

/** A match every half hour, back from noon. */
const matches = Array.from({ length: MATCHES }, (_, index) =>
  aMatch({
    id: `match-${index}`,
    createdAt: NOON - (index + 1) * (HOUR / 2),
    rosters: duel({ id: `player-${index % 20}` }, { id: `player-${(index + 1) % 20}` }),
  }),
);
const world = await startWorld(matches);
afterAll(() => world.stop());

/** A server with a clock of its own, and a caller with a key; of a server before, if there was one. */
async function calling(terms: KeyIn, settings = {}, clock = new TestClock(NOON), known?: string) {
  const server = await serveWithKeys(world, [terms], settings, clock);
  const key = known ?? server.keys[0]!;
  const ask = (path: string, headers: Record<string, string> = {}, method?: string) =>
    server.ask(path, headers, method, key);
  const status = async (path: string, method?: string) => (await ask(path, {}, method)).status;
  const today = async () => {
    const { matches, matchesLeft } = (await ask("/usage")).body.today;
    return [matches, matchesLeft];
  };
  return { ask, status, today, clock, key, [Symbol.asyncDispose]: () => server.stop() };
}

const M = "/shards/na/matches";
const time = (moment: number) => new Date(moment).toISOString();

/** Reads everything in windows of a day, by links, until it is refused. */
async function scrape({ ask }: Pick<Awaited<ReturnType<typeof calling>>, "ask">) {
  const got = new Set<string>();
  for (let day = 0; day < 10; day++) {
    const end = NOON - day * 24 * HOUR;
    const window = `filter[createdAt-start]=${time(end - 24 * HOUR)}&filter[createdAt-end]=${time(end - 1)}`;
    for (let path: string | undefined = `${M}?${window}`; path; ) {
      const reply: Reply = await ask(path);
      if (reply.status !== 200) return { got, refusal: reply };
      for (const id of idsOf(reply.body)) got.add(id);
      path = reply.body.links.next;
    }
  }
  return { got, refusal: undefined };
}

test("a scraper that pages through time windows is refused in every way on that day, and may continue on the next", async () => {
  await using caller = await calling({ matchesPerDay: 99 });
  const { got, refusal } = await scrape(caller);
  // The pages of a window of 48 matches: nine of five and one of three.
  expect(got.size).toBe(101);
  expect([refusal!.status, problemIn(refusal!).code]).toEqual([429, "quota-exceeded"]);
  expect(refusal!.headers.get("retry-after")).toBe(String(12 * 3600));
  for (const path of [
    "?page[limit]=1",
    "?page[offset]=200",
    "?filter[playerIds]=player-1",
    "/match-399",
  ]) {
    expect(await caller.status(M + path)).toBe(429);
  }
  expect(await caller.status("/shards/na/players/player-1")).toBe(200);
  caller.clock.advance(12 * HOUR - 1);
  expect(await caller.status(`${M}/match-399`)).toBe(429);
  caller.clock.advance(1);
  expect(await caller.status(`${M}/match-399`)).toBe(200);
});

test("one that reads single matches is stopped too, however many at once", async () => {
  await using caller = await calling({ matchesPerDay: 100 });
  const paths = matches.map((_, index) => `${M}/match-${index}`);
  const statuses = await Promise.all(paths.map((path) => caller.status(path)));
  expect(statuses.filter((one) => one === 200)).toHaveLength(100);
  expect(statuses.filter((one) => one === 429)).toHaveLength(MATCHES - 100);
});

test("after a restart a scraper stays stopped, and may still read what was counted, or more if the quota was raised", async () => {
  const first = await calling({ tier: null }, { "matches-per-day": 10 });
  const { clock, key } = first;
  const { got } = await scrape(first);
  await first[Symbol.asyncDispose]();
  await using second = await calling({}, { "matches-per-day": 10 }, clock, key);
  expect(await second.status(`${M}/match-399`)).toBe(429);
  for (const id of got) expect(await second.status(`${M}/${id}`)).toBe(200);
  expect(await second.today()).toEqual([got.size, 0]);
  await using third = await calling({}, { "matches-per-day": 20 }, clock, key);
  expect((await scrape(third)).got.size).toBe(20);
});

test("without a quota nobody is stopped", async () => {
  await using caller = await calling({ matchesPerDay: 0 });
  const { got, refusal } = await scrape(caller);
  expect([got.size, refusal]).toEqual([MATCHES, undefined]);
  expect((await caller.today())[1]).toBeNull();
});

test("neither 304 nor HEAD nor errors are counted, or refused beyond the quota; a match counts once in any form", async () => {
  await using caller = await calling({ matchesPerDay: 3 });
  const path = `${M}?page[limit]=3`;
  for (const [method, url] of [
    ["HEAD", path],
    ["GET", `${M}/nobody`],
    ["GET", `${path}&x=1`],
  ]) {
    await caller.status(url!, method);
  }
  expect(await caller.today()).toEqual([0, 3]);
  const page = await caller.ask(path);
  const known = await caller.ask(path, { "If-None-Match": page.headers.get("etag")! });
  expect(known.status).toBe(304);
  const beyond = `${M}?page[offset]=5`;
  expect([await caller.status(beyond, "HEAD"), await caller.status(beyond)]).toEqual([200, 429]);
  expect(await caller.status(`${M}?page[offset]=400`)).toBe(200);
  for (const form of ["include=", "fields[match]=duration"]) {
    expect(await caller.status(`${M}/${idsOf(page.body)[0]}?${form}`)).toBe(200);
  }
  expect(await caller.today()).toEqual([3, 0]);
});

test("of all endpoints, only those of matches count, and the others are served when the quota is used up", async () => {
  await using caller = await calling({ matchesPerDay: 1 });
  const urls = ENDPOINT_URLS.map((url) => url.replace("player-a", "player-1"));
  const others = urls.filter((url) => !url.startsWith(M));
  expect(others.length).toBe(urls.length - 2);
  for (const used of [0, 5]) {
    for (const url of others) expect([url, await caller.status(url)]).toEqual([url, 200]);
    expect((await caller.today())[0]).toBe(used);
    await caller.status(M);
  }
});
