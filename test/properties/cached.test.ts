/** Cached responses are never outdated: a server with caches always answers as one without. */

import { expect, test } from "bun:test";
import fc from "fast-check";
import { serveWithKeys } from "../support/keys.ts";
import { pruneAt } from "../support/prune.ts";
import { aMatch } from "../support/records.ts";
import { redactIn } from "../support/redact.ts";
import { scaled } from "../support/scale.ts";
import { JSON_API, startWorld } from "../support/world.ts";

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const PLAYERS = ["p0", "p1", "p2", "p3"];
const PUBLIC_URL = "https://matchbook.example";
/** A day before the real time, so that ingest accepts matches that are in the future here. */
const START = Date.now() - DAY;

const PATHS = [
  "matches",
  "matches?sort=-createdAt",
  "matches?sort=-createdAt&page[limit]=2",
  "matches?page[offset]=2&page[limit]=2",
  "matches?page[offset]=50",
  "matches?filter[playerIds]=p0",
  "matches?filter[playerNames]=Ada&sort=-createdAt",
  "matches?filter[gameMode]=casual",
  `matches?filter[createdAt-start]=${new Date(START - 27 * DAY).toISOString()}`,
  `matches?filter[createdAt-end]=${new Date(START - DAY).toISOString()}&sort=-createdAt`,
  "matches?fields[match]=gameMode&include=rosters",
  "matches/m1",
  "players",
  "players/p0",
  "players?filter[playerNames]=Ada,Bo",
];

const player = fc.record({
  id: fc.constantFrom(...PLAYERS),
  name: fc.constantFrom("Ada", "Bo", "Cy"),
});
const match = fc.record({
  id: fc.constantFrom("m0", "m1", "m2", "m3", "m4", "m5", "m6", "m7"),
  // At both ends of the default window of 28 days, some ahead of the clock.
  createdAt: fc.oneof(
    fc.integer({ min: -12, max: 12 }).map((minutes) => START + minutes * MINUTE),
    fc.integer({ min: -12, max: 12 }).map((minutes) => START - 28 * DAY + minutes * MINUTE),
    fc.integer({ min: 1, max: 27 }).map((days) => START - days * DAY),
  ),
  mode: fc.constantFrom("ranked", "casual"),
  players: fc.uniqueArray(player, { minLength: 2, maxLength: 2, selector: ({ id }) => id }),
});
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ ingest: match }) },
  { weight: 4, arbitrary: fc.record({ wait: fc.integer({ min: 1, max: 10 * MINUTE }) }) },
  { weight: 1, arbitrary: fc.record({ prune: fc.integer({ min: 1, max: 29 }) }) },
  { weight: 1, arbitrary: fc.record({ redact: fc.constantFrom(...PLAYERS) }) },
);

test("whatever is ingested, replaced, pruned or redacted, and however the time passes", async () => {
  const steps = fc.array(step, { minLength: 6, maxLength: 12 });
  await fc.assert(fc.asyncProperty(steps, checkSteps), { numRuns: scaled(20) });
}, 600_000);

async function checkSteps(steps: Step[]): Promise<void> {
  let passed = 0;
  const clock = { now: () => START + passed, monotonic: () => passed };
  const world = await startWorld([], { "public-url": PUBLIC_URL, shards: "na" }, clock);
  const uncached = await serveWithKeys(world, [], { "cache-mib": 0 }, clock);
  const get = async (url: string, path: string) => {
    const headers = { Authorization: `Bearer ${world.key}`, Accept: JSON_API };
    const response = await fetch(`${url}/shards/na/${path}`, { headers });
    const document = await response.json();
    // Errors contain the request id.
    return response.ok ? [response.headers.get("etag"), document] : response.status;
  };
  try {
    await world.ingest([aMatch({ id: "m0", createdAt: START - MINUTE })]);
    for (const one of steps) {
      if ("wait" in one) passed += one.wait;
      else await take(one);
      for (const path of PATHS) {
        const expected = await get(uncached.url, path);
        // The second response is cached, and the third comes from the cache.
        for (let time = 0; time < 3; time++) expect(await get(world.url, path)).toEqual(expected);
      }
    }
  } finally {
    await uncached.stop();
    await world.stop();
  }

  async function take(one: Exclude<Step, { wait: number }>): Promise<void> {
    if ("prune" in one) await pruneAt(world.settings, "na", START - one.prune * DAY);
    else if ("redact" in one) await redactIn(world.settings, "na", one.redact);
    else {
      const { players, ...rest } = one.ingest;
      const [first, second] = players;
      await world.ingest(
        [aMatch({ ...rest, rosters: [{ members: [first!] }, { members: [second!] }] })],
        { replace: true },
      );
    }
  }
}

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;
