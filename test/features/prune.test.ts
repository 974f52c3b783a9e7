/** Pruned records that depend on others, or are damaged. What players keep is compared with the model. */

import { expect, test } from "bun:test";
import { join } from "node:path";
import { sqliteRows } from "../support/engine-sqlite.ts";
import { ENGINES, engineWorlds } from "../support/engine-worlds.ts";
import { pruneAt, withWriter } from "../support/prune.ts";
import { aMatch, duel, type MatchIn } from "../support/records.ts";
import { startWorld } from "../support/world.ts";

const worldIn = engineWorlds();

const day = (number: number) => Date.UTC(2024, 0, number);

/** A duel that p has won against q on a day of January. */
const played = (id: string, on: number, wishes: MatchIn = {}) =>
  aMatch({
    id,
    shard: "na",
    mode: "casual",
    createdAt: day(on),
    rosters: duel({ id: "p" }, { id: "q" }),
    ...wishes,
  });

test.each(ENGINES)(
  "in %s, a private match that is withheld when the cutoff is set is not counted later",
  async (engine) => {
    await using world = await worldIn(engine);
    await world.ingest([played("private", 1, { mode: "private" })]);
    await withWriter(world.settings, "na", (writer) =>
      writer.write(async (transaction) => transaction.setPrunedBefore(day(3))),
    );
    const { report } = await world.ingest([played("ranked", 5, { mode: "ranked" })]);
    expect(report.released).toBe(0);
    await pruneAt(world.settings, "na", day(3));
    const { body } = await world.get("/shards/na/players/p");
    expect(body.data.attributes.stats).toMatchObject({ played: 1 });
  },
);

test("a pruned record that is sent again is reported as pruned, and stays out", async () => {
  const records = [played("m1", 1), played("m2", 5)];
  await using world = await startWorld(records);
  await pruneAt(world.settings, "na", day(3));
  for (const replace of [false, true]) {
    const { report } = await world.ingest([...records, played("late", 2)], { replace });
    expect(report).toMatchObject({ stored: 0, duplicate: 1, conflict: 0, pruned: 2 });
  }
  expect((await world.get("/shards/na/matches/m1")).status).toBe(404);
});

test("in SQLite, nothing is computed from a damaged base", async () => {
  await using world = await startWorld([played("m1", 1), played("m5", 5)]);
  await pruneAt(world.settings, "na", day(3));
  sqliteRows(join(world.data, "na.db")).change("player base", { id: "p" }, { played: 7 });
  await expect(world.ingest([played("m4", 4)])).rejects.toThrow(
    "player p is damaged in the store: run 'matchbook repair', or restore the shard from a backup",
  );
});
