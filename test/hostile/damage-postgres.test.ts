/** Tests a shard in PostgreSQL with one changed value: no response has a wrong value or another record's data. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { SQL } from "bun";
import {
  inflict,
  inverted,
  keepFor,
  type Row,
  type RowDamage,
  withOtherPlayer,
} from "../support/engine.ts";
import { type PostgresRows, postgresRows } from "../support/engine-postgres.ts";
import { TestClock } from "../support/keys.ts";
import { digestAt } from "../support/places.ts";
import { aPostgres, dropSchema } from "../support/postgres.ts";
import { aMatch } from "../support/records.ts";
import { describeLong, testLong } from "../support/scale.ts";
import { damageOf, verified } from "../support/verify.ts";
import { startWorld, type World } from "../support/world.ts";
import { askEverything, QUESTIONS, RECORDS, type Truth, truthOf } from "./damage.ts";

// The server's own check would find some of the damage before it is asked.
const NEVER = { pauseMs: 2 ** 30 };
const clock = new TestClock();
const SCHEMA = `damage_${process.pid}`;
let stopPostgres = () => {};
let url: string;
let database: SQL;
let rows: PostgresRows;
/** Reads every row each time; the other has all players and teams in its cache. */
let uncached: World;
let cached: World;
let truth: Truth;

beforeAll(async () => {
  const postgres = await aPostgres();
  stopPostgres = postgres.stop;
  url = postgres.url;
  const toml = `[shards.na]\nurl = "${url}?schema=${SCHEMA}"\n`;
  uncached = await startWorld(RECORDS, { "cache-mib": "0" }, clock, toml, NEVER);
  cached = await startWorld([], {}, clock, toml, NEVER);
  await askEverything(cached, clock, await truthOf(cached, "na"), "na");
  truth = await truthOf(uncached, "na");
  database = new SQL({ url, max: 1 });
  rows = postgresRows(database, SCHEMA);
}, 60_000);

afterAll(async () => {
  await database.close();
  await uncached.stop();
  await cached.stop();
  await dropSchema(url, SCHEMA);
  stopPostgres();
});

test("the questions have answers", async () => {
  expect(truth.lists.get("")!.length).toBe(10);
  const found = await askEverything(uncached, clock, truth, "na");
  expect(found.right.length).toBe(QUESTIONS);
});

/** Damages rows while `work` runs. */
async function whileDamaged<T>(damage: RowDamage, work: () => Promise<T>): Promise<T> {
  const restore = await keepFor(rows, damage);
  await inflict(rows, damage);
  try {
    return await work();
  } finally {
    await restore();
  }
}

describe("one value changed:", () => {
  const playerNumber = (id: string): RowDamage => ({
    change: "match",
    which: { id },
    to: ({ document }) => ({ document: withOtherPlayer(document) }),
  });
  let other: Row;
  beforeAll(async () => {
    other = (await rows.rows("match", { id: "match-08" }))[0]!;
  });
  const CASES: [what: string, damage: RowDamage][] = [
    ["a player number of a match", playerNumber("match-00")],
    ["a player number of another match", playerNumber("match-04")],
    ["the id of a match", { change: "match", which: { id: "match-03" }, to: { id: "match-zz" } }],
    [
      "the id of a listed match",
      { change: "listed match", which: { id: "match-03" }, to: { id: "match-zz" } },
    ],
    [
      "the document of a match",
      {
        change: "match",
        which: { id: "match-02" },
        to: () => ({ document: other.document }),
      },
    ],
    [
      "the time of a listed match",
      { change: "listed match", to: ({ createdAt }) => ({ createdAt: createdAt + 90_000 }) },
    ],
    [
      "the mode of a listed match",
      { change: "listed match", which: { mode: "casual" }, to: { mode: "ranked" } },
    ],
    [
      "the patch of a listed match",
      { change: "listed match", which: { id: "match-02" }, to: { patch: "1.1" } },
    ],
    [
      "the id of a player",
      { change: "player", which: { id: "player-1" }, to: { id: "player-zz" } },
    ],
    ["the number of a player", { change: "player", which: { id: "player-1" }, to: { number: 77 } }],
    ["the name of a player", { change: "player", which: { id: "player-3" }, to: { name: "Zed" } }],
    [
      "a name that another player has",
      { change: "player", which: { id: "player-4" }, to: { name: "Ada" } },
    ],
    [
      "the latest match of players",
      {
        change: "player",
        to: ({ lastMatchAt, number }) => ({ lastMatchAt: lastMatchAt - number }),
      },
    ],
    [
      "the totals of a player",
      { change: "player", which: { id: "player-2" }, to: ({ wins }) => ({ wins: wins + 1 }) },
    ],
    [
      "the checksum of a player",
      { change: "player", which: { id: "player-2" }, to: { checksum: 1 } },
    ],
    ["the name of a team", { change: "team", to: { name: "RED" } }],
    [
      "the match of an index entry",
      { change: "player entry", which: { match: "match-04" }, to: { leadsTo: "match-03" } },
    ],
    [
      "the time of an index entry",
      { change: "player entry", to: ({ createdAt }) => ({ createdAt: createdAt + 7 }) },
    ],
    [
      "the player of an index entry",
      {
        change: "player entry",
        which: { player: "player-0", match: "match-00" },
        to: { player: "player-5" },
      },
    ],
    [
      "the result of an index entry",
      { change: "player entry", to: ({ result }) => ({ result: 2 - result }) },
    ],
    [
      "the team of an index entry",
      {
        change: "team entry",
        to: ({ team }) => ({ team: team === "team-0" ? "team-2" : "team-0" }),
      },
    ],
    ["the name index", { change: "name entry", which: { name: "Ida" }, to: { name: "Zed" } }],
  ];
  const CACHED_CASES = [
    "a player number of a match",
    "the id of a player",
    "a name that another player has",
    "the player of an index entry",
  ];

  test.each(CASES)("%s", async (_what, damage) => {
    const [found, report] = await whileDamaged(damage, async () => [
      await askEverything(uncached, clock, truth, "na"),
      await verified(uncached.settings, "na"),
    ]);
    expect(found.wrong).toEqual([]);
    expect(found.detected.length + found.omission.length).toBeGreaterThan(0);
    expect(report.state).toBe("damaged");
  });

  testLong.each(CASES.filter(([what]) => CACHED_CASES.includes(what)))(
    "%s, with all players in the cache",
    async (_what, damage) => {
      const found = await whileDamaged(damage, () => askEverything(cached, clock, truth, "na"));
      expect(found.wrong).toEqual([]);
    },
  );
});

describe("entries missing, which no request can see, are found by verify:", () => {
  const CASES: [from: string, damage: RowDamage, found: string][] = [
    [
      "the matches of a player",
      { remove: "player entry", which: { match: "match-01", result: 1 } },
      "player_matches match-01",
    ],
    [
      "the matches of a team",
      { remove: "team entry", which: { match: "match-02" } },
      "team_matches match-02",
    ],
    [
      "the list of matches",
      { remove: "listed match", which: { id: "match-03" } },
      "matches match-03",
    ],
    ["the name index", { remove: "name entry", which: { key: "=uma" } }, "name_index =uma Uma"],
  ];
  test.each(CASES)("%s", async (_from, damage, found) => {
    const report = await whileDamaged(damage, () => verified(uncached.settings, "na"));
    expect(damageOf(report)).toContain(found);
  });

  test("none is missing from the whole shard", async () => {
    expect(await verified(uncached.settings, "na")).toMatchObject({
      state: "clean",
      isComplete: true,
    });
  });
});

describeLong("the digest of a shard, and a copy of it, stop at", () => {
  const CASES: [what: string, damage: RowDamage, message: string][] = [
    [
      "a listed match with another patch",
      { change: "listed match", which: { id: "match-03" }, to: { patch: "2" } },
      "match match-03 is damaged",
    ],
    [
      "a match whose document is missing",
      { remove: "match", which: { id: "match-03" } },
      "match match-03 is damaged",
    ],
    [
      "changed bytes of a record that are not served",
      {
        change: "snapshot",
        which: { match: "match-03" },
        to: ({ snapshot }) => ({ snapshot: inverted(snapshot, 8) }),
      },
      "match match-03 is damaged",
    ],
    [
      "a withheld match",
      { change: "withheld", which: { id: "match-05" }, to: { reason: "ending" } },
      "match match-05 is damaged",
    ],
    [
      "a player",
      { change: "player", which: { id: "player-3" }, to: { name: "Zed" } },
      "player player-3 is damaged",
    ],
    [
      "a team",
      { change: "team", which: { id: "team-2" }, to: { name: "RED" } },
      "team team-2 is damaged",
    ],
  ];
  test.each(CASES)("%s", async (_what, damage, message) => {
    const digest = whileDamaged(damage, () => digestAt(uncached.data));
    await expect(digest).rejects.toThrow(message);
  });
});

describe("ingest does not build on", () => {
  const late = aMatch({
    id: "late",
    createdAt: Date.UTC(2026, 0, 1, 0, 4, 1),
    rosters: [
      { members: [{ id: "player-4", name: "Ida" }], team: { id: "team-0", name: "Team" } },
      { members: [] },
    ],
  });
  const CASES: [what: string, damage: RowDamage, message: string][] = [
    [
      "damaged totals of a player",
      { change: "player", which: { id: "player-4" }, to: ({ wins }) => ({ wins: wins + 1 }) },
      "player player-4 is damaged",
    ],
    [
      "a damaged index of results",
      {
        change: "player entry",
        which: ({ match, result }) => match === "match-09" && result < 2,
        to: ({ result }) => ({ result: 1 - result }),
      },
      "match-09 is damaged",
    ],
    [
      "a damaged index of teams",
      {
        change: "team entry",
        which: { match: "match-08" },
        to: ({ takesPart }) => ({ takesPart: takesPart === 1 ? 0 : 1 }),
      },
      "match-08 is damaged",
    ],
  ];
  test.each(CASES)("%s", async (_what, damage, message) => {
    const ingested = whileDamaged(damage, () => uncached.ingest([late]));
    await expect(ingested).rejects.toThrow(message);
  });
});
