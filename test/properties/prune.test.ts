/** The state is a function of the accepted records and the prune cutoff. */

import { expect, test } from "bun:test";
import { join } from "node:path";
import fc from "fast-check";
import { digestOf } from "../../src/export/digest.ts";
import { move } from "../../src/export/move.ts";
import { openWriter } from "../../src/open-stores.ts";
import { removeOldest } from "../../src/prune/prune.ts";
import { exportedFrom } from "../support/exported.ts";
import { pruneAt, withWriter } from "../support/prune.ts";
import type { MatchDocument } from "../support/records.ts";
import { scaled } from "../support/scale.ts";
import { aFolder, type World } from "../support/world.ts";
import { ask, askEverything, askGzip, differences, take, worldOf } from "./asking.ts";
import { type Arrival, arrival, MATCH_IDS, PLAYER_IDS, SHARD, TITLE } from "./histories.ts";
import { Reference, type Thing } from "./reference.ts";

/** Between, before and after the times of the histories. */
const cutoffs = fc.constantFrom(
  "2024-03-01T00:00:00Z",
  "2024-03-10T12:00:00Z",
  "2024-03-10T12:00:00.001Z",
  "2024-05-01T00:00:00Z",
  "2024-08-01T00:00:00Z",
);

const timeOf = ({ data }: MatchDocument): number => {
  const { createdAt } = data.attributes as { createdAt: string };
  return Date.parse(createdAt.replace(/(\.\d{3})\d+/, "$1"));
};

const servedIn = (documents: MatchDocument[]): Set<string> =>
  new Set(new Reference(documents as unknown as Thing[], TITLE).servedIds);

test("pruning before or after later records, in any order and steps, serves the same bytes, also from an export", async () => {
  const servesTheSame = fc.asyncProperty(
    arrival,
    cutoffs,
    fc.integer({ min: 1, max: 5 }),
    async (given, time, step) => {
      const cutoff = Date.parse(time);
      const isOld = (document: MatchDocument) => timeOf(document) < cutoff;
      const old = given.documents.filter(isOld);
      const recent = given.documents.filter((one) => !isOld(one));
      const worlds = await Promise.all(Array.from({ length: 5 }, () => worldOf([])));
      const [inOrder, piecemeal, atOnce, copy, early] = worlds as Five;
      try {
        await take(inOrder, old);
        await pruneSome(inOrder, cutoff, step);
        await take(early, await exported(inOrder));
        await pruneAt(inOrder.settings, SHARD, cutoff);
        await take(copy, await exported(inOrder));
        await take(inOrder, recent);
        const expected = await askEverything(inOrder, askGzip);

        await pruneAt(early.settings, SHARD, cutoff, step);
        for (const rebuilt of [copy, early]) {
          await sendSome(rebuilt, given, (one) => !isOld(one));
          expect((await take(rebuilt, old)).pruned).toBe(old.length);
          expect(differences(expected, await askEverything(rebuilt, askGzip))).toEqual([]);
        }

        await sendSome(piecemeal, given, isOld);
        await pruneAt(piecemeal.settings, SHARD, cutoff, step);
        await sendSome(piecemeal, given, (one) => !isOld(one));
        const { pruned, stored } = await take(piecemeal, old, 2);
        expect({ pruned, stored }).toEqual({ pruned: old.length, stored: 0 });
        expect(differences(expected, await askEverything(piecemeal, askGzip))).toEqual([]);

        await expectSameRebuilt(piecemeal);

        // What is served when it is pruned counts: later evidence does not change that.
        const [before, after] = [servedIn(old), servedIn(given.documents)];
        const isSettled = old.every(
          ({ data: { id } }) => before.has(String(id)) === after.has(String(id)),
        );
        if (!isSettled) return;
        await take(atOnce, given.documents);
        const players = await askPlayers(atOnce);
        await pruneAt(atOnce.settings, SHARD, cutoff, step);
        expect(differences(players, await askPlayers(atOnce))).toEqual([]);
        expect(differences(expected, await askEverything(atOnce, askGzip))).toEqual([]);
        const found = MATCH_IDS.filter(
          (id) => expected.get(`/shards/${SHARD}/matches/${id}`)!.status === 200,
        );
        const left = recent.map(({ data: { id } }) => String(id)).filter((id) => after.has(id));
        expect(found.toSorted()).toEqual(left.toSorted());
      } finally {
        for (const world of worlds) await world.stop();
      }
    },
  );
  await fc.assert(servesTheSame, { numRuns: scaled(12) });
}, 600_000);

type Five = [World, World, World, World, World];

/** Stops after a few records. */
const pruneSome = (world: World, cutoff: number, records: number) =>
  withWriter(world.settings, SHARD, (writer) =>
    writer.write(async (transaction) => {
      await transaction.setPrunedBefore(cutoff);
      await removeOldest(transaction, records);
    }),
  );

const exported = (world: World): Promise<MatchDocument[]> =>
  withWriter(world.settings, SHARD, (writer) => exportedFrom(writer));

async function sendSome(
  world: World,
  { calls }: Arrival,
  isWanted: (document: MatchDocument) => boolean,
): Promise<void> {
  for (const { documents, batch } of calls) await take(world, documents.filter(isWanted), batch);
}

/** Players keep their lifetime records. */
async function askPlayers(world: World) {
  const paths = PLAYER_IDS.map((id) => `/shards/${SHARD}/players/${id}`);
  return new Map(
    await Promise.all(paths.map(async (path) => [path, await ask(world, path)] as const)),
  );
}

/** What pruned records left behind and the records that are left give the same shard. */
async function expectSameRebuilt(world: World): Promise<void> {
  const folder = aFolder();
  const target = openWriter("na", { engine: "sqlite", path: join(folder.path, "na.db") });
  await withWriter(world.settings, SHARD, async (writer) => {
    const { isEqual } = await move(writer, target, {
      shard: SHARD,
      location: "the copy",
      resume: false,
      onProgress() {},
    });
    expect(isEqual).toBe(true);
    expect(await target.prunedBefore()).toBe(await writer.prunedBefore());
    const ranked = await writer.rankedEvidence([...PLAYER_IDS]);
    expect(await target.rankedEvidence([...PLAYER_IDS])).toEqual(ranked);
    const digest = await writer.survey((contents) => digestOf(contents));
    expect(await target.survey((contents) => digestOf(contents))).toEqual(digest);
  });
  await target.close();
  folder.remove();
}
