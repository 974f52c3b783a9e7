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
import { damageOf, verified } from "../support/verify.ts";
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

const CASES: [what: string, harm: Harm, found: string][] = [
  [
    "totals of a player",
    async (state) => {
      const ada = await playerIn(state, "ada");
      await state.putPlayers([{ ...ada, totals: { ...ada.totals, wins: ada.totals.wins + 1 } }]);
    },
    "players ada",
  ],
  [
    "gold of a player",
    async (state) => {
      const ada = await playerIn(state, "ada");
      await state.putPlayers([{ ...ada, totals: { ...ada.totals, gold: ada.totals.gold + 1n } }]);
    },
    "players ada",
  ],
  [
    "the streak of a player",
    async (state) => state.putPlayers([{ ...(await playerIn(state, "bea")), run: 7 }]),
    "players bea",
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
  ],
  [
    "the name of a player",
    async (state) => state.putPlayers([{ ...(await playerIn(state, "bea")), name: "Zed" }]),
    "players bea",
  ],
  [
    "the resource of a player",
    async (state) => {
      const { resource } = await playerIn(state, "ada");
      await state.putPlayers([{ ...(await playerIn(state, "bea")), resource }]);
    },
    "players bea",
  ],
  [
    "resources that a player links to",
    async (state) => {
      const bea = await playerIn(state, "bea");
      await state.putPlayers([{ ...bea, companions: bea.resource }]);
    },
    "players bea",
  ],
  [
    "a player without matches",
    async (state) =>
      state.putPlayers([{ ...(await playerIn(state, "ada")), id: "ghost", name: "Ada" }]),
    "players ghost",
  ],
  [
    "the name of a team",
    async (state) => {
      const [team] = await state.teams("", 1);
      await state.putTeams([{ ...team!, name: "BLUE" }]);
    },
    "teams red",
  ],
  [
    "a team without matches",
    async (state) => {
      const [team] = await state.teams("", 1);
      await state.putTeams([{ ...team!, id: "ghosts", name: "RED" }]);
    },
    "teams ghosts",
  ],
  [
    "a match with another result",
    async (state) => {
      const entry = await duelIn(state, "ranked-1", "ada", "bea");
      await state.removeServed([entry]);
      await state.addServed([turned(entry)]);
    },
    "documents ranked-1",
  ],
  [
    "a served match that is withheld",
    async (state) => {
      const entry = await duelIn(state, "ranked-2", "bea", "ada");
      await state.removeServed([entry]);
      const { players: _, teams: __, ...match } = entry;
      await state.addWithheld([{ ...match, reason: "ending" }]);
    },
    "records ranked-2",
  ],
  [
    "a withheld match that is served",
    async (state) => {
      const entry = await duelIn(state, "practice-1", "ada", "eve");
      await state.removeWithheld(["practice-1"]);
      await state.addServed([entry]);
    },
    "matches practice-1",
  ],
  [
    "a withheld match with another reason",
    async (state) => {
      const { match } = await recordIn(state, "hidden-1");
      await state.removeWithheld(["hidden-1"]);
      await state.addWithheld([{ ...match, reason: "ending" }]);
    },
    "records hidden-1",
  ],
  [
    "evidence that a player is ranked, counted twice",
    (state) => Promise.resolve(state.changeRankedEvidence(new Map([["ada", 1]]))),
    "ranked_evidence ada",
  ],
  [
    "evidence without a record",
    (state) => Promise.resolve(state.changeRankedEvidence(new Map([["zoe", 1]]))),
    "ranked_evidence zoe",
  ],
  [
    "a missing dependent",
    (state) => Promise.resolve(state.removeDependents([["eve", "hidden-1"]])),
    "dependents eve hidden-1",
  ],
  [
    "a dependent too many",
    (state) => Promise.resolve(state.addDependents([["ada", "ranked-1"]])),
    "dependents ada ranked-1",
  ],
  [
    "a word of the vocabulary, counted twice",
    (state) => Promise.resolve(state.changeVocabulary(new Map([["type:asset", 1]]))),
    "vocabulary type:asset",
  ],
  [
    "a word of the vocabulary without records",
    (state) => Promise.resolve(state.changeVocabulary(new Map([["path:medals", 1]]))),
    "vocabulary path:medals",
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
      isComplete: true,
      damaged: 0,
    });
  });

  test.each(CASES)("finds %s", async (_what, harm, found) => {
    await change(harm);
    const report = await verified(settings, "na");
    expect(damageOf(report)).toContain(found);
    expect([report.state, report.isComplete]).toEqual(["damaged", true]);
  });
});
