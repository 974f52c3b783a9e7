/** What `matchbook verify` finds in shards whose rows are whole, but not as the records say; the same for both stores. */

import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { SQL } from "bun";
import { unobserved } from "../../src/observe/events.ts";
import { openShards } from "../../src/open-stores.ts";
import { loadSettings } from "../../src/settings/load.ts";
import type { MatchEntry, PlayerRow, ShardRecord, Transaction } from "../../src/store/store.ts";
import { rowsOf } from "../support/engine-postgres.ts";
import { homeAt } from "../support/places.ts";
import { aPostgres } from "../support/postgres.ts";
import { aMatch, duel } from "../support/records.ts";
import { testLong } from "../support/scale.ts";
import { damageOf, verified, verifiedInSteps } from "../support/verify.ts";
import { aFolder, ingestInto } from "../support/world.ts";

const START = Date.UTC(2026, 0, 1);
const ADA = { id: "ada", name: "Ada" };
const BEA = { id: "bea", name: "Bea" };
const EVE = { id: "eve", name: "Eve" };

const EXTRA = {
  mode: "casual",
  rosters: duel(BEA, EVE),
  relationships: { assets: { data: [{ type: "asset", id: "asset-1" }] } },
  included: [{ type: "asset", id: "asset-1", attributes: { URL: "https://example.com/1" } }],
};

/** Ranked and casual matches, private ones that are served and withheld, and one with an extra type. */
const RECORDS = [
  aMatch({ id: "ranked-1", createdAt: START + 1, rosters: duel(ADA, BEA) }),
  aMatch({ id: "ranked-2", createdAt: START + 2, rosters: duel(BEA, ADA) }),
  aMatch({
    id: "casual-1",
    createdAt: START + 3,
    mode: "casual",
    rosters: [{ members: [ADA], team: { id: "red", name: "RED" } }, { members: [EVE] }],
  }),
  aMatch({ id: "private-1", createdAt: START + 4, mode: "private", rosters: duel(EVE, ADA) }),
  aMatch({
    id: "hidden-1",
    createdAt: START + 5,
    mode: "private",
    rosters: duel(EVE, { id: "uma", name: "Uma" }),
  }),
  aMatch({ id: "practice-1", createdAt: START + 6, mode: "practice", rosters: duel(ADA, EVE) }),
  aMatch({ ...EXTRA, id: "extra-1", createdAt: START + 7 }),
];

/** A player as it is stored. */
async function playerIn(state: Transaction, id: string): Promise<PlayerRow> {
  const standing = (await state.standings([id])).get(id)!;
  const { resource, companions } = (await state.players("", 100)).find((one) => one.id === id)!;
  const name = `${id[0]!.toUpperCase()}${id.slice(1)}`;
  return { id, name, ...standing, skillTier: undefined, resource, companions };
}

async function recordIn(state: Transaction, id: string): Promise<ShardRecord> {
  return (await state.load([id]))[0]!;
}

/** A duel as it was added. */
async function duelIn(
  state: Transaction,
  id: string,
  winner: string,
  loser: string,
): Promise<MatchEntry> {
  const { match } = await recordIn(state, id);
  const players = [
    { id: winner, result: "won" as const },
    { id: loser, result: "lost" as const },
  ];
  return { ...match, players, teams: [] };
}

const turned = (entry: MatchEntry): MatchEntry => ({
  ...entry,
  players: entry.players.map(({ id, result }) => ({
    id,
    result: result === "won" ? "lost" : "won",
  })),
});

type Harm = (state: Transaction) => Promise<unknown>;

const CASES: [what: string, harm: Harm, found: string, detail: string][] = [
  [
    "totals of a player",
    async (state) => {
      const ada = await playerIn(state, "ada");
      await state.putPlayers([{ ...ada, totals: { ...ada.totals, wins: ada.totals.wins + 1 } }]);
    },
    "players ada",
    "player ada has totals that the served matches do not give: responses with the player are wrong",
  ],
  [
    "gold of a player",
    async (state) => {
      const ada = await playerIn(state, "ada");
      await state.putPlayers([{ ...ada, totals: { ...ada.totals, gold: ada.totals.gold + 1n } }]);
    },
    "players ada",
    "player ada has totals",
  ],
  [
    "the streak of a player",
    async (state) => state.putPlayers([{ ...(await playerIn(state, "bea")), run: 7 }]),
    "players bea",
    "player bea has a streak",
  ],
  [
    "the latest match of a player",
    async (state) =>
      state.putPlayers([
        {
          ...(await playerIn(state, "bea")),
          latest: { createdAt: START + 2, matchId: "ranked-2" },
        },
      ]),
    "players bea",
    "player bea has a latest match",
  ],
  [
    "the name of a player",
    async (state) => state.putPlayers([{ ...(await playerIn(state, "bea")), name: "Zed" }]),
    "players bea",
    "player bea has a name",
  ],
  [
    "the resource of a player",
    async (state) => {
      const { resource } = await playerIn(state, "ada");
      await state.putPlayers([{ ...(await playerIn(state, "bea")), resource }]);
    },
    "players bea",
    "player bea has a resource",
  ],
  [
    "resources that a player links to",
    async (state) => {
      const bea = await playerIn(state, "bea");
      await state.putPlayers([{ ...bea, companions: bea.resource }]);
    },
    "players bea",
    "player bea has linked resources",
  ],
  [
    "a player without matches",
    async (state) =>
      state.putPlayers([{ ...(await playerIn(state, "ada")), id: "ghost", name: "Ada" }]),
    "players ghost",
    "player ghost is in no served match",
  ],
  [
    "the name of a team",
    async (state) => {
      const [team] = await state.teams("", 1);
      await state.putTeams([{ ...team!, name: "BLUE" }]);
    },
    "teams red",
    "team red has a name",
  ],
  [
    "a team without matches",
    async (state) => {
      const [team] = await state.teams("", 1);
      await state.putTeams([{ ...team!, id: "ghosts", name: "RED" }]);
    },
    "teams ghosts",
    "team ghosts is in no served match",
  ],
  [
    "a match with another result",
    async (state) => {
      const entry = await duelIn(state, "ranked-1", "ada", "bea");
      await state.removeServed([entry]);
      await state.addServed([turned(entry)]);
    },
    "matches ranked-1",
    "match ranked-1 is stored with other players, teams or results than its record has",
  ],
  [
    "a served match that is withheld",
    async (state) => {
      const entry = await duelIn(state, "ranked-2", "bea", "ada");
      await state.removeServed([entry]);
      await state.addWithheld([{ ...entry, reason: "ending" }]);
    },
    "withheld ranked-2",
    "match ranked-2 is withheld (ending), but the rules serve it",
  ],
  [
    "a withheld match that is served",
    async (state) => {
      const entry = await duelIn(state, "practice-1", "ada", "eve");
      await state.removeWithheld(["practice-1"]);
      await state.addServed([entry]);
    },
    "matches practice-1",
    "match practice-1 is served, but the rules withhold it (game-mode)",
  ],
  [
    "a withheld match with another reason",
    async (state) => {
      const { match } = await recordIn(state, "hidden-1");
      await state.removeWithheld(["hidden-1"]);
      await state.addWithheld([{ ...match, reason: "ending" }]);
    },
    "withheld hidden-1",
    "match hidden-1 is withheld with the reason ending instead of no-ranked-player",
  ],
  [
    "the content hash of a record",
    async (state) => {
      const { match } = await recordIn(state, "practice-1");
      await state.removeWithheld(["practice-1"]);
      await state.addWithheld([{ ...match, contentHash: new Uint8Array(16), reason: "game-mode" }]);
    },
    "withheld practice-1",
    "match practice-1 has a content hash that does not fit its record",
  ],
  [
    "the time of a record",
    async (state) => {
      const { match } = await recordIn(state, "practice-1");
      await state.removeWithheld(["practice-1"]);
      await state.addWithheld([{ ...match, createdAt: START, reason: "game-mode" }]);
    },
    "withheld practice-1",
    "match practice-1 has a time, mode, patch or header that does not fit its record",
  ],
  [
    "a record with the players of another",
    async (state) => {
      const { match } = await recordIn(state, "practice-1");
      const { carried } = (await recordIn(state, "hidden-1")).match;
      await state.removeWithheld(["practice-1"]);
      await state.addWithheld([{ ...match, carried, reason: "game-mode" }]);
    },
    "withheld practice-1",
    "match practice-1 has a content hash",
  ],
  [
    "evidence that a player is ranked, counted twice",
    (state) => Promise.resolve(state.changeRankedEvidence(new Map([["ada", 1]]))),
    "ranked_evidence ada",
    "player ada is counted as ranked by 3 records instead of 2",
  ],
  [
    "evidence without a record",
    (state) => Promise.resolve(state.changeRankedEvidence(new Map([["zoe", 1]]))),
    "ranked_evidence zoe",
    "player zoe is counted as ranked by 1 records instead of 0",
  ],
  [
    "a missing dependent",
    (state) => Promise.resolve(state.removeDependents([["eve", "hidden-1"]])),
    "dependents eve hidden-1",
    "private match hidden-1 is not linked to player eve",
  ],
  [
    "a dependent too many",
    (state) => Promise.resolve(state.addDependents([["ada", "ranked-1"]])),
    "dependents ada ranked-1",
    "match ranked-1 is linked to player ada, but its visibility does not depend on the player",
  ],
  [
    "a word of the vocabulary, counted twice",
    (state) => Promise.resolve(state.changeVocabulary(new Map([["type:asset", 1]]))),
    "vocabulary type:asset",
    "type:asset is counted in 2 served records instead of 1",
  ],
  [
    "a word of the vocabulary without records",
    (state) => Promise.resolve(state.changeVocabulary(new Map([["path:medals", 1]]))),
    "vocabulary path:medals",
    "path:medals is counted in 1 served records instead of 0",
  ],
];

const postgres = await aPostgres();
const sql = new SQL(postgres.url, { max: 1 });
afterAll(async () => {
  await sql.close();
  postgres.stop();
});

const PLACES = {
  SQLite: (folder: string) => `sqlite:${join(folder, "na.db")}`,
  PostgreSQL: () => `${postgres.url}?schema=verify_${process.pid}`,
};

/** Remembers a shard; call it to restore it. */
const SAVED = {
  async SQLite(place: string) {
    const path = place.slice("sqlite:".length);
    const bytes = readFileSync(path);
    return async () => {
      for (const end of ["-wal", "-shm"]) rmSync(path + end, { force: true });
      writeFileSync(path, bytes);
    };
  },
  PostgreSQL: (place: string) => rowsOf(sql, place.split("?schema=")[1]!),
};

const ENGINES = ["SQLite", "PostgreSQL"] as const;

describe.each(ENGINES)("%s:", (engine) => {
  const folder = aFolder();
  const place = PLACES[engine](folder.path);
  const data = homeAt(folder.path, place);
  const settings = loadSettings({ flags: { data }, env: {}, cwd: data }).values;
  let restore: () => Promise<void>;
  beforeAll(async () => {
    await ingestInto(settings, RECORDS);
    restore = await SAVED[engine](place);
  });
  afterEach(() => restore());
  afterAll(() => folder.remove());

  /** Writes through the store, so that all checksums are right. */
  async function change(harm: Harm): Promise<void> {
    const shards = openShards(settings, unobserved);
    try {
      await shards.writer("na").write(harm);
    } finally {
      await shards.close();
    }
  }

  test("a shard as ingest leaves it is clean", async () => {
    const report = await verified(settings, "na");
    expect(report).toMatchObject({
      state: "clean",
      matches: 5,
      withheld: 2,
      players: 3,
      teams: 1,
      rebuilt: true,
      damaged: 0,
    });
  });

  test("records that are added, replaced and released between the steps are not damage", async () => {
    // Each belongs to what was read before it is written.
    const waiting = [
      aMatch({ id: "late-1", createdAt: START, rosters: duel(EVE, ADA) }),
      aMatch({ id: "casual-1", createdAt: START + 3, mode: "casual", rosters: duel(BEA, EVE) }),
      aMatch({ id: "private-2", createdAt: START, mode: "private", rosters: duel(BEA, EVE) }),
      aMatch({ ...EXTRA, id: "extra-0", createdAt: START }),
      aMatch({ id: "practice-2", createdAt: START, mode: "practice", rosters: duel(ADA, BEA) }),
      aMatch({ id: "late-2", createdAt: START, rosters: duel(EVE, { id: "new" }) }),
    ];
    const damage = await verifiedInSteps(settings, "na", 2, async (isRebuild) => {
      const record = isRebuild ? waiting.shift() : undefined;
      if (record) await ingestInto(settings, [record], { replace: true });
    });
    expect(damage).toEqual([]);
    expect(waiting).toEqual([]);
    expect((await verified(settings, "na")).state).toBe("clean");
  });

  testLong.each([1, 1000])(
    "finds a player as it was before its latest match, in steps of %p rows",
    async (rows) => {
      let before: PlayerRow | undefined;
      await change(async (state) => {
        before = await playerIn(state, "bea");
      });
      await ingestInto(settings, [
        aMatch({ id: "ranked-9", createdAt: START + 9, rosters: duel(BEA, ADA) }),
      ]);
      await change((state) => Promise.resolve(state.putPlayers([before!])));
      const damage = await verifiedInSteps(settings, "na", rows, async () => {});
      expect(damageOf({ damage })).toEqual(["players bea"]);
    },
  );

  test.each(CASES)("finds %s", async (_what, harm, found, detail) => {
    await change(harm);
    const report = await verified(settings, "na");
    expect(report.state).toBe("damaged");
    expect(damageOf(report)).toContain(found);
    const { detail: said } = report.damage.find(
      ({ table, record }) => `${table} ${record}` === found,
    )!;
    expect(said).toStartWith(detail);
  });
});
