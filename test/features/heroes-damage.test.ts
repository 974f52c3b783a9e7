/** Damage to the statistics of heroes is found: by requests, by the check, and by a comparison with the records. */

import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { join } from "node:path";
import type { HeroTotals } from "../../src/features/heroes/statistics.ts";
import type { Settings } from "../../src/settings/definitions.ts";
import type { Transaction } from "../../src/store/store.ts";
import { sqliteRows } from "../support/engine-sqlite.ts";
import { changeHeroes, heroTotals } from "../support/heroes.ts";
import { aPostgres, dropSchema } from "../support/postgres.ts";
import { pruneAt, withWriter } from "../support/prune.ts";
import { aMatch } from "../support/records.ts";
import { testLong } from "../support/scale.ts";
import { damageOf, verified } from "../support/verify.ts";
import { startWorld, type World } from "../support/world.ts";

let postgres: Awaited<ReturnType<typeof aPostgres>>;
beforeAll(async () => {
  postgres = await aPostgres();
});
afterAll(() => postgres.stop());

const START = Date.UTC(2026, 0, 1);
const DAY = 86_400_000;
const records = Array.from({ length: 8 }, (_, day) =>
  aMatch({
    id: `m${day}`,
    mode: day === 3 ? "private" : day % 2 === 0 ? "ranked" : "casual",
    patch: day < 6 ? "2.5" : "2.6",
    createdAt: START + day * DAY,
  }),
);

const change = (settings: Settings, work: (transaction: Transaction) => unknown) =>
  withWriter(settings, "na", (writer) =>
    writer.write(async (transaction) => {
      await work(transaction);
    }),
  );

const firstRow = async (transaction: Transaction): Promise<HeroTotals> =>
  (await heroTotals(transaction, false))[1]!;

describe.each(["SQLite", "PostgreSQL"])("in %s", (engine) => {
  let world: World;
  const schema = `heroes_damage_${process.pid}`;
  beforeEach(async () => {
    const toml =
      engine === "SQLite" ? "" : `[shards.na]\nurl = "${postgres.url}?schema=${schema}"\n`;
    world = await startWorld(records, {}, undefined, toml);
  });
  const end = async () => {
    await world.stop();
    if (engine === "PostgreSQL") await dropSchema(postgres.url, schema);
  };

  test("what the records say is clean, also when some are pruned", async () => {
    const { settings } = world;
    expect(damageOf(await verified(settings, "na"))).toEqual([]);
    await pruneAt(settings, "na", START + 3.5 * DAY);
    expect(damageOf(await verified(settings, "na"))).toEqual([]);
    await end();
  });

  if (engine === "SQLite") {
    test("a missing count of matches is damage, not a wrong rate", async () => {
      const path = "/shards/na/heroes?filter[gameMode]=ranked";
      expect((await world.get(path)).status).toBe(200);
      sqliteRows(join(world.data, "na.db")).remove("hero statistics", { hero: "" });
      const { status, body } = await world.get(path);
      expect([status, body.errors[0].code]).toEqual([503, "damaged-data"]);
      await end();
    });

    test("a damaged row is found by the quick verify", async () => {
      sqliteRows(join(world.data, "na.db")).change(
        "hero statistics",
        { hero: "", patch: "2.6" },
        ({ wins }) => ({ wins: wins + 1 }),
      );
      expect(damageOf(await verified(world.settings, "na", true)).toSorted()).toEqual([
        "hero_stats all matches in casual 2.6",
        "hero_stats all matches in ranked 2.6",
      ]);
      await end();
    });
  }

  testLong(
    "sums that differ from the records are found by verify, and not by the quick one",
    async () => {
      const { settings } = world;
      const isFound = async (work: (transaction: Transaction) => unknown, label: string) => {
        await change(settings, work);
        expect(damageOf(await verified(settings, "na", true))).toEqual([]);
        expect(damageOf(await verified(settings, "na"))).toEqual([`hero_stats ${label}`]);
      };
      const label = "*Ember* in casual 2.5";
      await isFound(
        async (transaction) =>
          changeHeroes(transaction, [
            { ...(await firstRow(transaction)), picks: 1, wins: 0, gold: 0n },
          ]),
        label,
      );
      await change(settings, async (transaction) => {
        const row = await firstRow(transaction);
        const { deaths, assists, kills, farm } = row;
        await changeHeroes(transaction, [
          {
            ...row,
            picks: -1,
            wins: 0,
            gold: 0n,
            deaths: -deaths / 2n,
            assists: -assists / 2n,
            kills: -kills / 2n,
            farm: -farm / 2n,
          },
        ]);
      });
      expect(damageOf(await verified(settings, "na"))).toEqual([]);
      await isFound(async (transaction) => {
        const row = await firstRow(transaction);
        await changeHeroes(transaction, [{ ...row, hero: "nobody", picks: 2 }]);
      }, "nobody in casual 2.5");
      await end();
    },
  );
});
