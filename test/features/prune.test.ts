/** Pruned records: what disappears, and what players keep. */

import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { unobserved } from "../../src/observe/events.ts";
import { openShards } from "../../src/open-stores.ts";
import { prune } from "../../src/prune/prune.ts";
import { sqliteRows } from "../support/engine-sqlite.ts";
import { ENGINES, engineWorlds } from "../support/engine-worlds.ts";
import { pruneAt, withWriter } from "../support/prune.ts";
import { aMatch, duel, type MatchIn } from "../support/records.ts";
import { ingestWith, startWorld, type World } from "../support/world.ts";

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

/** The five oldest matches of the month. */
const OLDEST =
  "/shards/na/matches?filter[createdAt-start]=2024-01-01T00:00:00Z&filter[createdAt-end]=2024-01-31T00:00:00Z&sort=createdAt&page[limit]=5";

async function listed(world: World): Promise<string[]> {
  const { body } = await world.get(OLDEST);
  return body.data.map(({ id }: { id: string }) => id);
}

async function statsOf(world: World, id: string) {
  const { status, body } = await world.get(`/shards/na/players/${id}`);
  return status === 200 ? body.data.attributes.stats : status;
}

describe.each(ENGINES)("in %s", (engine) => {
  async function inWorld(work: (world: World) => Promise<void>): Promise<void> {
    await using world = await worldIn(engine);
    await work(world);
  }

  test("matches from before the cutoff are gone, and players keep their lifetime records", () =>
    inWorld(async (world) => {
      await world.ingest([
        played("m1", 1, true),
        played("m2", 2, true),
        played("m3", 3, true),
        played("gone", 2, true, { rosters: duel({ id: "left" }, { id: "also" }) }),
        played("w", 1, true, { ending: "notenoughplayers" }),
      ]);
      const before = [await statsOf(world, "p"), await statsOf(world, "left")];
      const pruned = await pruneAt(world.settings, "na", day(3), 1);
      expect(pruned).toEqual({ cutoff: day(3), served: 3, withheld: 1 });
      expect(await listed(world)).toEqual(["m3"]);
      expect((await world.get("/shards/na/matches/m1")).body.errors[0].code).toBe("not-found");
      expect([await statsOf(world, "p"), await statsOf(world, "left")]).toEqual(before);
      expect(before[0]).toMatchObject({ played: 3, wins: 3, winStreak: 3 });
    }));

  test("a pruned record that is sent again is reported as pruned, and stays out; the cutoff never moves back", () =>
    inWorld(async (world) => {
      const records = [played("m1", 1, true), played("m2", 5, true)];
      await world.ingest(records);
      await pruneAt(world.settings, "na", day(3));
      const again = await pruneAt(world.settings, "na", day(2));
      expect(again).toEqual({ cutoff: day(3), served: 0, withheld: 0 });
      const { report } = await world.ingest([...records, played("late", 2, false)]);
      expect(report).toMatchObject({ stored: 0, duplicate: 1, conflict: 0, pruned: 2 });
      const replaced = await world.ingest([played("m1", 1, false)], { replace: true });
      expect(replaced.report).toMatchObject({ stored: 0, pruned: 1 });
      expect(await listed(world)).toEqual(["m2"]);
      expect(await statsOf(world, "p")).toMatchObject({ played: 2, wins: 2 });
    }));

  test("a player stays ranked by pruned records, served or withheld", () =>
    inWorld(async (world) => {
      const says = { id: "s", stats: { played_ranked: 1 } };
      await world.ingest([
        played("ranked", 1, true, { mode: "ranked" }),
        played("says", 1, true, {
          mode: "practice",
          rosters: duel(says, { id: "t" }),
        }),
      ]);
      await pruneAt(world.settings, "na", day(3));
      const privately = (id: string, ...players: string[]) =>
        played(id, 5, true, {
          mode: "private",
          rosters: duel({ id: players[0]! }, { id: players[1]! }),
        });
      const { report } = await world.ingest([
        privately("of-p", "p", "x"),
        privately("of-s", "s", "y"),
        privately("of-nobody", "x", "y"),
      ]);
      expect(report.withheld["no-ranked-player"]).toBe(1);
      expect((await listed(world)).sort()).toEqual(["of-p", "of-s"]);
    }));

  test("no response mixes before and after, while records arrive", () =>
    inWorld(async (world) => {
      const old = Array.from({ length: 24 }, (_, index) =>
        played(`old-${index}`, 1, index % 3 > 0, { createdAt: day(1) + index }),
      );
      await world.ingest([...old, played("kept", 20, true)]);
      const oldest = await listed(world);
      let isOver = false;
      let isPruned = false;
      const reading = (async () => {
        while (!isOver) {
          const single = await world.get("/shards/na/matches/old-23");
          if (isPruned) expect(single.status).toBe(404);
          isPruned ||= single.status === 404;
          const page = await listed(world);
          const hasOld = page.some((id) => id.startsWith("old"));
          // The cutoff is the same for single matches and lists, and nothing comes back.
          expect(hasOld ? [isPruned, page] : []).toEqual(hasOld ? [false, oldest] : []);
          isPruned ||= !hasOld;
          expect((await statsOf(world, "p")).played).toBeGreaterThanOrEqual(25);
        }
      })();
      // By one writer, whose transactions take turns: two in one thread would wait for each other.
      const shards = openShards(world.settings, unobserved);
      const writer = await shards.writer("na");
      const pruning = prune(writer, day(10), { step: 2, rest: 0 });
      for (let more = 0; more < 5; more++) {
        const record = played(`new-${more}`, 21 + more, true);
        await ingestWith(shards, world.settings, [record], {});
      }
      await pruning;
      await shards.close();
      isOver = true;
      await reading;
      expect(await statsOf(world, "p")).toMatchObject({ played: 30 });
      expect(await listed(world)).toEqual(["kept", "new-0", "new-1", "new-2", "new-3"]);
      expect(
        await withWriter(world.settings, "na", async (one) => one.countOlder(day(10))),
      ).toEqual({ served: 0, withheld: 0 });
    }));

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
