/** Damage to what leaderboards are read from is found: by requests, and by a comparison with the records. */

import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { SQL } from "bun";
import { changeRecent } from "../../src/features/leaderboards/stored.ts";
import type { Settings } from "../../src/settings/definitions.ts";
import type { Transaction } from "../../src/store/store.ts";
import type { Kind, NewValues, ShardRows } from "../support/engine.ts";
import { postgresRows } from "../support/engine-postgres.ts";
import { sqliteRows } from "../support/engine-sqlite.ts";
import { aPostgres, dropSchema } from "../support/postgres.ts";
import { problemIn } from "../support/problems.ts";
import { pruneAt, withWriter } from "../support/prune.ts";
import { aMatch, duel } from "../support/records.ts";
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
/** Enough for a win rate. */
const many = Array.from({ length: 20 }, (_, at) => 31 + at / 100);
const records = [0, 10, 30, ...many, 31.5, 32].map((day) =>
  aMatch({
    mode: day === 31.5 ? "casual" : "ranked",
    createdAt: START + day * DAY,
    rosters: duel({ id: "ada", stats: { skillTier: Math.floor(day) } }, { id: "bob" }),
  }),
);

const change = (settings: Settings, work: (transaction: Transaction) => unknown) =>
  withWriter(settings, "na", (writer) =>
    writer.write(async (transaction) => {
      await work(transaction);
    }),
  );

describe.each(["SQLite", "PostgreSQL"])("in %s", (engine) => {
  let world: World;
  const schema = `boards_damage_${process.pid}`;
  beforeEach(async () => {
    const toml =
      engine === "SQLite" ? "" : `[shards.na]\nurl = "${postgres.url}?schema=${schema}"\n`;
    world = await startWorld(records, {}, undefined, toml);
  });
  const end = async () => {
    await world.stop();
    if (engine === "PostgreSQL") await dropSchema(postgres.url, schema);
  };

  /** Changes rows as no version would. */
  const damage = async (work: (rows: ShardRows) => unknown) => {
    const sql = new SQL({ url: postgres.url, max: 1 });
    await work(
      engine === "SQLite" ? sqliteRows(join(world.data, "na.db")) : postgresRows(sql, schema),
    );
    await sql.close();
  };

  test("what the records say is clean, also when some are pruned", async () => {
    const { settings } = world;
    expect(damageOf(await verified(settings, "na"))).toEqual([]);
    await pruneAt(settings, "na", START + 10.5 * DAY);
    expect(damageOf(await verified(settings, "na"))).toEqual([]);
    await end();
  });

  const ROWS: [what: string, kind: Kind, to: NewValues, path: string, found: string][] = [
    [
      "ranked wins",
      "player",
      ({ rankedWins }) => ({ rankedWins: rankedWins + 1 }),
      "ranked-wins",
      "players ada",
    ],
    ["the skill tier", "player", { skillTier: 99 }, "skill-tier", "players ada"],
    ["the win rate", "player", { winRate: 5 }, "win-rate", "players ada"],
    [
      "wins of 28 days",
      "recent board entry",
      { wins: 7 },
      "ranked-wins?filter[period]=28d",
      "player_recent ada",
    ],
    [
      "the win rate of 28 days",
      "recent board entry",
      { winRate: 7 },
      "win-rate?filter[period]=28d",
      "player_recent ada",
    ],
  ];
  test.each(ROWS)(
    "a changed row is found by the quick verify, and not served: %s",
    async (_what, kind, to, path, expected) => {
      await damage((rows) => rows.change(kind, { id: "ada" }, to));
      const found = damageOf(await verified(world.settings, "na", true));
      expect(found).toEqual([expected]);
      const problem = problemIn(await world.get(`/shards/na/leaderboards/${path}`));
      expect(problem.code).toBe("damaged-data");
      await end();
    },
  );

  test("a listed match without a document is not left out when the 28 days move", async () => {
    await damage(async (rows) => {
      const leaves = (await rows.rows("listed match", { createdAt: START + 10 * DAY }))[0]!;
      await rows.remove("match", { id: leaves.id });
    });
    const later = aMatch({ mode: "ranked", createdAt: START + 40 * DAY });
    await expect(world.ingest([later])).rejects.toThrow(/^match .* is damaged/);
    await end();
  });

  testLong(
    "counts that differ from the records are found by verify, and not by the quick one",
    async () => {
      const { settings } = world;
      const isFound = async (work: (transaction: Transaction) => unknown, label: string) => {
        await change(settings, work);
        expect(damageOf(await verified(settings, "na", true))).toEqual([]);
        expect(damageOf(await verified(settings, "na"))).toEqual([label]);
      };
      const by = (id: string, played: number) => (transaction: Transaction) =>
        transaction.run(() => changeRecent(new Map([[id, { played, wins: 0 }]])));
      await isFound(by("bob", 1), "player_recent bob");
      await change(settings, by("bob", -1));
      await isFound(by("nobody", 2), "player_recent nobody");
      await change(settings, by("nobody", -2));
      await isFound(async (transaction) => {
        const { totals, ...rest } = (await transaction.standings(["ada"])).get("ada")!;
        const [found] = await transaction.players("", 1);
        const wrong = { ...rest, totals: { ...totals, rankedWins: 22 } };
        await transaction.putPlayers([{ ...found!, name: "Name_ada", skillTier: 32, ...wrong }]);
      }, "players ada");
      await end();
    },
  );
});
