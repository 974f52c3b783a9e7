/** Pruned records: what disappears, and what players keep. */

import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { sqliteRows } from "../support/engine-sqlite.ts";
import { ENGINES, engineWorlds } from "../support/engine-worlds.ts";
import { pruneAt, withWriter } from "../support/prune.ts";
import { aMatch, duel, type MatchIn } from "../support/records.ts";
import { startWorld, type World } from "../support/world.ts";

const worldIn = engineWorlds();

const day = (number: number) => Date.UTC(2024, 0, number);

/** A duel of p against q on a day of January; p wins, or else q. */
const played = (id: string, on: number, isWon: boolean, wishes: MatchIn = {}) =>
  aMatch({
    id,
    shard: "na",
    mode: "casual",
    createdAt: day(on),
    rosters: isWon ? duel({ id: "p" }, { id: "q" }) : duel({ id: "q" }, { id: "p" }),
    ...wishes,
  });

async function statsOf(world: World, id: string) {
  const { status, body } = await world.get(`/shards/na/players/${id}`);
  return status === 200 ? body.data.attributes.stats : status;
}

describe.each(ENGINES)("in %s", (engine) => {
  async function inWorld(work: (world: World) => Promise<void>): Promise<void> {
    await using world = await worldIn(engine);
    await work(world);
  }

  test("a private match that is withheld when the cutoff is set is not counted later", () =>
    inWorld(async (world) => {
      await world.ingest([played("private", 1, true, { mode: "private" })]);
      await withWriter(world.settings, "na", (writer) =>
        writer.write(async (transaction) => transaction.setPrunedBefore(day(3))),
      );
      const { report } = await world.ingest([played("ranked", 5, true, { mode: "ranked" })]);
      expect(report.released).toBe(0);
      await pruneAt(world.settings, "na", day(3));
      expect(await statsOf(world, "p")).toMatchObject({ played: 1 });
    }));
});

test("in SQLite, nothing is computed from a damaged base", async () => {
  await using world = await startWorld([played("m1", 1, true), played("m5", 5, true)]);
  await pruneAt(world.settings, "na", day(3));
  sqliteRows(join(world.data, "na.db")).change("player base", { id: "p" }, { played: 7 });
  await expect(world.ingest([played("m4", 4, true)])).rejects.toThrow(
    "player p is damaged in the store: run 'matchbook repair', or restore the shard from a backup",
  );
});
