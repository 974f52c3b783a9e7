/** Damage to what leaderboards are read from is found: by requests, by the check, and by a comparison with the records. */

import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { SQL } from "bun";
import type { Settings } from "../../src/settings/definitions.ts";
import type { Transaction } from "../../src/store/store.ts";
import { damageIn } from "../support/check.ts";
import type { Kind, NewValues } from "../support/engine.ts";
import { postgresRows } from "../support/engine-postgres.ts";
import { dropLastEntry, sqliteRows } from "../support/engine-sqlite.ts";
import { aPostgres, dropSchema } from "../support/postgres.ts";
import { problemIn } from "../support/problems.ts";
import { pruneAt, withWriter } from "../support/prune.ts";
import { aMatch, duel } from "../support/records.ts";
import { testLong } from "../support/scale.ts";
import { damageOf, verified, verifiedInSteps } from "../support/verify.ts";
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
  const damage = async (kind: Kind, to: NewValues) => {
    if (engine === "SQLite") {
      sqliteRows(join(world.data, "na.db")).change(kind, { id: "ada" }, to);
      return;
    }
    const sql = new SQL({ url: postgres.url, max: 1 });
    await postgresRows(sql, schema).change(kind, { id: "ada" }, to);
    await sql.close();
  };

  test("what the records say is clean, also when some are pruned", async () => {
    const { settings } = world;
    expect(damageOf(await verified(settings, "na"))).toEqual([]);
    await pruneAt(settings, "na", START + 10.5 * DAY);
    expect(damageOf(await verified(settings, "na"))).toEqual([]);
    expect(await verifiedInSteps(settings, "na", 2, async () => {})).toEqual([]);
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
      await damage(kind, to);
      const found = damageOf(await verified(world.settings, "na", true));
      expect(found).toEqual([expected]);
      const problem = problemIn(await world.get(`/shards/na/leaderboards/${path}`));
      expect(problem.code).toBe("damaged-data");
      await end();
    },
  );

  if (engine === "PostgreSQL") {
    test("a listed match without a document is not left out when the 28 days move", async () => {
      const sql = new SQL({ url: postgres.url, max: 1 });
      const leaves = START + 10 * DAY;
      await postgresRows(sql, schema).remove("match", ({ createdAt }) => createdAt === leaves);
      await sql.close();
      const later = aMatch({ mode: "ranked", createdAt: START + 40 * DAY });
      await expect(world.ingest([later])).rejects.toThrow(/^match .* is damaged/);
      await end();
    });
  }

  const INDEXES = [
    ["players by skill tier", "players ada"],
    ["players by ranked wins", "players ada"],
    ["players by win rate", "players "],
    ["players by streak", "players ada"],
    ["recent players by wins", "player_recent ada"],
    ["recent players by win rate", "player_recent "],
  ] as const;
  if (engine === "SQLite") {
    testLong.each(INDEXES)(
      "an entry that is missing from an index is found by the check: %s",
      async (index, label) => {
        const path = join(world.data, "na.db");
        dropLastEntry(path, index);
        expect((await damageIn(path))[0]).toStartWith(label);
        // Writes meanwhile make the sums useless: every row is looked up.
        expect((await damageIn(path, 500, sqliteRows(path).touch))[0]).toStartWith(label);
        await end();
      },
    );
  }

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
        transaction.changeRecent(new Map([[id, { played, wins: 0 }]]));
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
