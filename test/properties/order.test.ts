/** The state is a function of the set of records. */

import { expect, test } from "bun:test";
import fc from "fast-check";
import { aMatch, duel } from "../support/records.ts";
import { scaled } from "../support/scale.ts";
import type { World } from "../support/world.ts";
import { ask, askEverything, askGzip, differences, take, worldOf } from "./asking.ts";
import { type Arrival, arrival, SHARD } from "./histories.ts";

test("any order, repetition and batching of the same records serves the same bytes", async () => {
  const servesTheSame = fc.asyncProperty(arrival, async (given) => {
    const atOnce = await worldOf(given.documents);
    const piecemeal = await worldOf([]);
    try {
      const expected = await askEverything(atOnce, askGzip);
      await arrive(piecemeal, given);
      expect(differences(expected, await askEverything(piecemeal, askGzip))).toEqual([]);
    } finally {
      await atOnce.stop();
      await piecemeal.stop();
    }
  });
  await fc.assert(servesTheSame, { numRuns: scaled(30) });
}, 600_000);

/** Sends the records in this way; each counts once, and repetitions as duplicates. */
async function arrive(world: World, { documents, calls, repetitions }: Arrival): Promise<void> {
  const sum = { accepted: 0, duplicate: 0 };
  for (const call of calls) {
    const { stored, withheld, duplicate } = await take(world, call.documents, call.batch);
    sum.accepted += Object.values(withheld).reduce((total, count) => total + count, stored);
    sum.duplicate += duplicate;
  }
  expect(sum).toEqual({ accepted: documents.length, duplicate: repetitions });
}

/** Streaks that are longer than one read of the history. */
const manyResults = fc
  .array(fc.tuple(fc.boolean(), fc.integer({ min: 1, max: 70 })), { minLength: 1, maxLength: 4 })
  .map((runs) => runs.flatMap(([won, length]) => Array.from({ length }, () => won)));

test("a streak of any length counts fully, whatever the order of arrival", async () => {
  const counts = fc.asyncProperty(manyResults, fc.integer(), async (results, seed) => {
    const documents = results.map((won, index) =>
      aMatch({
        shard: SHARD,
        createdAt: Date.UTC(2024, 2, 10) + index,
        rosters: won ? duel({ id: "p1" }, { id: "q" }) : duel({ id: "q" }, { id: "p1" }),
      }),
    );
    const keyed = documents.map(
      (one, index) => [Bun.hash.wyhash(`${seed} ${index}`), one] as const,
    );
    const shuffled = keyed.sort(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one);
    const world = await worldOf([]);
    try {
      await take(world, shuffled, 40);
      const { plain } = await ask(world, `/shards/${SHARD}/players/p1`);
      const last = results.at(-1)!;
      const run = results.length - 1 - results.lastIndexOf(!last);
      expect(JSON.parse(plain.toString()).data.attributes.stats).toMatchObject({
        winStreak: last ? run : 0,
        lossStreak: last ? 0 : run,
        played: results.length,
        wins: results.filter(Boolean).length,
      });
    } finally {
      await world.stop();
    }
  });
  await fc.assert(counts, { numRuns: scaled(12) });
}, 600_000);
