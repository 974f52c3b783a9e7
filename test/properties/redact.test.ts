/** The state is a function of the accepted records and the redactions. */

import { expect, test } from "bun:test";
import fc from "fast-check";
import { exportedFrom } from "../support/exported.ts";
import { withWriter } from "../support/prune.ts";
import type { MatchDocument } from "../support/records.ts";
import { redactIn, storedText } from "../support/redact.ts";
import { scaled } from "../support/scale.ts";
import type { World } from "../support/world.ts";
import { askEverything, askGzip, differences, take, worldOf } from "./asking.ts";
import { arrival, PLAYER_IDS, SHARD } from "./histories.ts";

test("redacting before, between or after records, in any order, serves the same bytes without the players", async () => {
  const servesTheSame = fc.asyncProperty(
    arrival,
    fc.uniqueArray(fc.constantFrom(...PLAYER_IDS), { minLength: 1, maxLength: 2 }),
    fc.nat(8),
    async ({ documents, calls }, ids, at) => {
      const worlds = await Promise.all(Array.from({ length: 4 }, () => worldOf([])));
      const [first, between, last, copy] = worlds as [World, World, World, World];
      try {
        await redactIn(first.settings, SHARD, ...ids);
        await take(first, documents);
        const expected = await askEverything(first, askGzip);
        for (const [path, { status, plain }] of expected) {
          expect(ids.filter((id) => plain.includes(`title of ${id}`))).toEqual([]);
          if (ids.some((id) => path.endsWith(`/players/${id}`))) expect(status).toBe(404);
        }

        const before = calls.slice(0, at);
        for (const call of before) await take(between, call.documents, call.batch);
        for (const id of ids) await redactIn(between.settings, SHARD, id);
        for (const call of calls.slice(at)) await take(between, call.documents, call.batch);
        expect(differences(expected, await askEverything(between, askGzip))).toEqual([]);

        await take(last, documents);
        await redactIn(last.settings, SHARD, ...ids);
        expect(differences(expected, await askEverything(last, askGzip))).toEqual([]);
        const { stored, duplicate } = await take(last, documents);
        expect({ stored, duplicate }).toEqual({ stored: 0, duplicate: documents.length });
        expect(await redactIn(last.settings, SHARD, ...ids)).toEqual({ served: 0, withheld: 0 });

        for (const world of [first, between, last]) {
          const text = await withWriter(world.settings, SHARD, storedText);
          expect(ids.filter((id) => text.includes(`title of ${id}`))).toEqual([]);
        }
        await take(copy, await exported(last));
        expect(differences(expected, await askEverything(copy, askGzip))).toEqual([]);
      } finally {
        for (const world of worlds) await world.stop();
      }
    },
  );
  await fc.assert(servesTheSame, { numRuns: scaled(25) });
}, 600_000);

const exported = (world: World): Promise<MatchDocument[]> =>
  withWriter(world.settings, SHARD, (writer) => exportedFrom(writer));
