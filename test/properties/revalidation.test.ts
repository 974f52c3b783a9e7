/**
 * A client that gets 304 and goes on with the document it has finds everything that a client without a cache finds: in
 * every list, in both directions, whatever happens to the records and however the time passes, on both stores.
 */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { unobserved } from "../../src/observe/events.ts";
import { openShards } from "../../src/open-stores.ts";
import { TestClock } from "../support/keys.ts";
import { aPostgres, dropSchema } from "../support/postgres.ts";
import { pruneAt } from "../support/prune.ts";
import { aMatch, type MatchIn } from "../support/records.ts";
import { redactIn } from "../support/redact.ts";
import { scaled } from "../support/scale.ts";
import { ingestWith, JSON_API, startWorld, type World } from "../support/world.ts";

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
/** A day before the real time, so that ingest accepts matches that are in the future here. */
const START = Date.now() - DAY;
const PLAYERS = ["p0", "p1", "p2", "p3", "p4"];
const NAMES = ["Ada", "Bo"];
const STEPS = 100;
/** More pages than this mean a loop. */
const MOST_PAGES = 100;

const since = new Date(START - 40 * DAY).toISOString();
const until = new Date(START + 5 * MINUTE).toISOString();

const MATCHES = [
  "",
  "filter[playerIds]=p0",
  "filter[playerNames]=Ada",
  "filter[playerNames]=Ada,Bo&filter[gameMode]=ranked,private",
  "filter[teamNames]=TAG",
  "filter[patchVersion]=2.6",
  `filter[createdAt-start]=${since}`,
  `filter[createdAt-start]=${since}&filter[playerNames]=Bo`,
  `filter[createdAt-start]=${since}&filter[createdAt-end]=${until}`,
  "include=&fields[match]=",
];
const OTHERS = [
  "players",
  "players?filter[playerNames]=Ada,Bo",
  "players?filter[playerNames]=Ada&page[limit]=1",
  "player-names?filter[near]=Adda",
  "players/p0/played-with",
  "players/p0/played-with?page[limit]=1",
  "heroes",
  "actors?filter[gameMode]=ranked",
];
const BOARDS = ["ranked-wins", "win-rate", "ranked-wins?filter[period]=28d"];

const member = fc.record({ id: fc.constantFrom(...PLAYERS), name: fc.constantFrom(...NAMES) });
const played = fc.record({
  id: fc.nat(39).map((number) => `m${number}`),
  // At both ends of the default window of 28 days, some ahead of the clock, and between and before them.
  createdAt: fc.oneof(
    fc.integer({ min: -60, max: 60 }).map((minutes) => START + minutes * MINUTE),
    fc.integer({ min: -60, max: 60 }).map((minutes) => START - 28 * DAY + minutes * MINUTE),
    fc.integer({ min: 1, max: 35 }).map((days) => START - days * DAY),
  ),
  mode: fc.constantFrom("ranked", "casual", "private", "practice"),
  patch: fc.constantFrom("2.5", "2.6"),
  members: fc.uniqueArray(member, { minLength: 2, maxLength: 2, selector: ({ id }) => id }),
  hasTeam: fc.boolean(),
});
const match = played.map(({ members: [one, other], hasTeam, ...rest }): MatchIn => {
  const team = hasTeam ? { team: { id: "t", name: "TAG" } } : {};
  return { ...rest, rosters: [{ members: [one!], ...team }, { members: [other!] }] };
});
const list = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .record({
        filter: fc.constantFrom(...MATCHES),
        sort: fc.constantFrom("createdAt", "-createdAt"),
        limit: fc.constantFrom(1, 2, 5),
        offset: fc.constantFrom("", "", "&page[offset]=3", "&page[offset]=100"),
      })
      .map(
        ({ filter, sort, limit, offset }) =>
          `matches?${filter}&sort=${sort}&page[limit]=${limit}${offset}`,
      ),
  },
  { weight: 1, arbitrary: fc.constantFrom(...OTHERS) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom(...BOARDS), fc.constantFrom(1, 2, 20))
      .map(([board, limit]) => {
        const path = `leaderboards/${board}`;
        return `${path}${path.includes("?") ? "&" : "?"}page[limit]=${limit}`;
      }),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      "changes?page[after]=oldest&page[limit]=3",
      "changes?page[after]=oldest&page[limit]=2&filter[playerNames]=Ada",
    ),
  },
);
const step = fc.oneof(
  { weight: 50, arbitrary: fc.record({ ingest: match }) },
  { weight: 30, arbitrary: fc.record({ wait: fc.integer({ min: 1, max: 3 * MINUTE }) }) },
  { weight: 90, arbitrary: fc.record({ read: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ prune: fc.integer({ min: 20, max: 40 }) }) },
  { weight: 1, arbitrary: fc.record({ redact: fc.constantFrom(...PLAYERS) }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

// biome-ignore lint/suspicious/noExplicitAny: responses of every shape.
type Document = any;
type Fetch = (url: string) => Promise<Document>;

describe.each(["SQLite", "PostgreSQL"])("%s", (engine) => {
  let postgres: Awaited<ReturnType<typeof aPostgres>> | undefined;
  beforeAll(async () => {
    if (engine === "PostgreSQL") postgres = await aPostgres();
  });
  afterAll(() => postgres?.stop());
  let schemas = 0;

  test("a client that revalidates finds what a client without a cache finds", async () => {
    let revalidated = 0;
    // Few, so that each is read again and again.
    const lists = fc.array(list, { minLength: 2, maxLength: 6 });
    const steps = fc.array(step, { minLength: STEPS, maxLength: STEPS, size: "max" });
    await fc.assert(
      fc.asyncProperty(lists, steps, async (paths, some) => {
        const schema = `revalidation_${schemas++}`;
        const toml = postgres ? `[shards.na]\nurl = "${postgres.url}?schema=${schema}"\n` : "";
        const flags: Record<string, string> = postgres ? {} : { shards: "na" };
        const clock = new TestClock(START);
        const world = await startWorld([aMatch({ createdAt: START - DAY })], flags, clock, toml);
        try {
          revalidated += await checkSteps(world, clock, paths, some);
        } finally {
          await world.stop();
          if (postgres) await dropSchema(postgres.url, schema);
        }
      }),
      { numRuns: postgres ? scaled(8, 1) : scaled(20, 3), endOnFailure: true },
    );
    // Without any, it would prove nothing. Of one run there may be 90.
    expect(revalidated).toBeGreaterThan(10);
  }, 600_000);
});

/** Returns how many responses were 304. */
async function checkSteps(
  world: World,
  clock: TestClock,
  paths: string[],
  steps: Step[],
): Promise<number> {
  const headers = { Authorization: `Bearer ${world.key}`, Accept: JSON_API };
  const cache = new Map<string, { etag: string; document: Document }>();
  let revalidated = 0;
  const fresh: Fetch = async (url) => {
    const response = await fetch(url, { headers });
    if (response.status === 404) return undefined;
    if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`);
    return response.json();
  };
  const caching: Fetch = async (url) => {
    const known = cache.get(url);
    const condition = known && { "If-None-Match": known.etag };
    const response = await fetch(url, { headers: { ...headers, ...condition } });
    if (response.status === 304) {
      revalidated += 1;
      return known!.document;
    }
    if (response.status === 404) return undefined;
    if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`);
    const document = await response.json();
    cache.set(url, { etag: response.headers.get("etag")!, document });
    return document;
  };
  const shards = openShards(world.settings, unobserved);
  const ingest = (given: MatchIn) =>
    ingestWith(shards, world.settings, [aMatch(given)], { replace: true });
  for (const one of steps) {
    if ("wait" in one) clock.advance(one.wait);
    else if ("prune" in one) await pruneAt(world.settings, "na", START - one.prune * DAY);
    else if ("redact" in one) await redactIn(world.settings, "na", one.redact);
    else if ("ingest" in one) await ingest(one.ingest);
    else await compare(`${world.url}/shards/na/${paths[one.read % paths.length]}`, caching, fresh);
  }
  await shards.close();
  return revalidated;
}

async function compare(url: string, caching: Fetch, fresh: Fetch): Promise<void> {
  const [cached, uncached] = [await walk(url, caching), await walk(url, fresh)];
  if (!url.includes("/matches?")) {
    expect(cached).toEqual(uncached);
    return;
  }
  for (const way of ["there", "back"] as const) {
    // A link that was made earlier may begin earlier: what it finds then is older than the window.
    const wanted = new Set(uncached[way]);
    expect(cached[way].filter((one) => wanted.has(one))).toEqual(uncached[way]);
    expect(new Set(cached[way]).size).toBe(cached[way].length);
  }
}

/** What a client finds that follows `next` to the end, and then `prev` back to the beginning. */
async function walk(url: string, get: Fetch): Promise<{ there: string[]; back: string[] }> {
  const there: string[] = [];
  const back: string[] = [];
  let last: string | undefined;
  const follow = async (link: "next" | "prev", found: string[], from: string | undefined) => {
    let pages = 0;
    for (let at = from; at !== undefined; ) {
      const document = await get(at);
      if (++pages > MOST_PAGES) throw new Error(`the links from ${url} do not end`);
      if (document === undefined) return;
      const { data, meta, links } = document;
      // Matches by id: their players may have changed since, which the page itself shows.
      const ids = data.map((one: { id: string }) => one.id);
      if (url.includes("/matches?")) found.push(...(link === "prev" ? ids.toReversed() : ids));
      else found.push(JSON.stringify([data, { ...meta, window: undefined }]));
      last = at;
      // A feed has always a next page.
      at = url.includes("/changes?") && data.length === 0 ? undefined : links[link];
    }
  };
  await follow("next", there, url);
  await follow("prev", back, last);
  return { there, back };
}
