/** Tests a shard in PostgreSQL with one changed value: no response has a wrong value or another record's data. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { SQL } from "bun";
import { TestClock } from "../support/keys.ts";
import { digestAt } from "../support/places.ts";
import { aPostgres } from "../support/postgres.ts";
import { aMatch } from "../support/records.ts";
import { damageOf, verified } from "../support/verify.ts";
import { startWorld, type World } from "../support/world.ts";
import { askEverything, QUESTIONS, RECORDS, type Truth, truthOf } from "./damage.ts";

// The server's own check would find some of the damage before it is asked.
const NEVER = { pauseMs: 2 ** 30 };
const clock = new TestClock();
const SCHEMA = `damage_${process.pid}`;
const TABLES = [
  "match_documents",
  "matches",
  "players",
  "teams",
  "withheld",
  "player_matches",
  "team_matches",
  "name_index",
];

let stopPostgres = () => {};
let database: SQL;
/** Reads every row each time; the other has all players and teams in its cache. */
let uncached: World;
let cached: World;
let truth: Truth;

beforeAll(async () => {
  const { url, stop } = await aPostgres();
  stopPostgres = stop;
  const toml = `[shards.na]\nurl = "${url}?schema=${SCHEMA}"\n`;
  uncached = await startWorld(RECORDS, { "cache-mib": "0" }, clock, toml, NEVER);
  cached = await startWorld([], {}, clock, toml, NEVER);
  await askEverything(cached, clock, await truthOf(cached, "na"), "na");
  truth = await truthOf(uncached, "na");
  database = new SQL({ url, max: 1 });
  await database.unsafe(`SET search_path = ${SCHEMA}`);
  for (const table of TABLES) {
    await database.unsafe(`CREATE TABLE whole_${table} AS SELECT * FROM ${table}`);
  }
}, 60_000);

afterAll(async () => {
  await database.unsafe(`DROP SCHEMA ${SCHEMA} CASCADE`);
  await database.close();
  await uncached.stop();
  await cached.stop();
  stopPostgres();
});

test("the questions have answers", async () => {
  expect(truth.lists.get("")!.length).toBe(10);
  const found = await askEverything(uncached, clock, truth, "na");
  expect(found.right.length).toBe(QUESTIONS);
});

/** Changes a value while `work` runs. */
async function whileDamaged<T>(statement: string, work: () => Promise<T>): Promise<T> {
  const { count } = await database.unsafe(statement);
  expect(count).toBeGreaterThan(0);
  try {
    return await work();
  } finally {
    for (const table of TABLES) {
      await database.unsafe(`DELETE FROM ${table}`);
      await database.unsafe(`INSERT INTO ${table} SELECT * FROM whole_${table}`);
    }
  }
}

describe("one value changed:", () => {
  /** The first byte of the first player's number, as one flipped byte would change it. */
  const playerNumber = (id: string) =>
    `UPDATE match_documents SET document = set_byte(document, 4, get_byte(document, 4) % 6 + 1)
     WHERE id = '${id}'`;
  const CASES: [what: string, statement: string][] = [
    ["a player number of a match", playerNumber("match-00")],
    ["a player number of another match", playerNumber("match-04")],
    ["the id of a match", "UPDATE match_documents SET id = 'match-zz' WHERE id = 'match-03'"],
    ["the id of a listed match", "UPDATE matches SET id = 'match-zz' WHERE id = 'match-03'"],
    [
      "the document of a match",
      `UPDATE match_documents AS one SET document = other.document, results = other.results
       FROM match_documents AS other WHERE one.id = 'match-02' AND other.id = 'match-08'`,
    ],
    ["the time of a match", "UPDATE match_documents SET created_at = created_at + 1"],
    ["the time of a listed match", "UPDATE matches SET created_at = created_at + 90000"],
    ["the mode of a match", "UPDATE match_documents SET game_mode = 'casual'"],
    [
      "the mode of a listed match",
      "UPDATE matches SET game_mode = 'ranked' WHERE game_mode = 'casual'",
    ],
    [
      "the patch of a listed match",
      "UPDATE matches SET patch_version = '1.1' WHERE id = 'match-02'",
    ],
    ["a result of a match", "UPDATE match_documents SET results = set_byte(results, 0, 2)"],
    ["the checksum of a match", "UPDATE match_documents SET checksum = NULL WHERE id = 'match-06'"],
    ["the id of a player", "UPDATE players SET id = 'player-zz' WHERE id = 'player-1'"],
    ["the number of a player", "UPDATE players SET num = 77 WHERE id = 'player-1'"],
    ["the name of a player", "UPDATE players SET name = 'Zed' WHERE id = 'player-3'"],
    ["a name that another player has", "UPDATE players SET name = 'Ada' WHERE id = 'player-4'"],
    ["the latest match of players", "UPDATE players SET last_match_at = last_match_at - num"],
    ["the totals of a player", "UPDATE players SET wins = wins + 1 WHERE id = 'player-2'"],
    ["the checksum of a player", "UPDATE players SET checksum = NULL WHERE id = 'player-2'"],
    ["the name of a team", "UPDATE teams SET name = 'RED'"],
    [
      "the match of an index entry",
      "UPDATE player_matches SET match_id = 'match-03' WHERE match_id = 'match-04'",
    ],
    ["the time of an index entry", "UPDATE player_matches SET created_at = created_at + 7"],
    [
      "the player of an index entry",
      `UPDATE player_matches SET player = (SELECT num FROM players WHERE id = 'player-5')
       WHERE player = (SELECT num FROM players WHERE id = 'player-0') AND match_id = 'match-00'`,
    ],
    ["the result of an index entry", "UPDATE player_matches SET result = 2 - result"],
    ["the team of an index entry", "UPDATE team_matches SET team = 3 - team"],
    ["the name index", "UPDATE name_index SET name = 'Zed' WHERE name = 'Ida'"],
  ];
  const CACHED_CASES = [
    "a player number of a match",
    "the id of a player",
    "a name that another player has",
    "the player of an index entry",
  ];

  test.each(CASES)("%s", async (_what, statement) => {
    const [found, report] = await whileDamaged(statement, async () => [
      await askEverything(uncached, clock, truth, "na"),
      await verified(uncached.settings, "na", true),
    ]);
    expect(found.wrong).toEqual([]);
    expect(found.detected.length + found.omission.length).toBeGreaterThan(0);
    expect(report.state).toBe("damaged");
  });

  test.each(CASES.filter(([what]) => CACHED_CASES.includes(what)))(
    "%s, with all players in the cache",
    async (_what, statement) => {
      const found = await whileDamaged(statement, () => askEverything(cached, clock, truth, "na"));
      expect(found.wrong).toEqual([]);
    },
  );
});

describe("entries missing, which no request can see, are found by verify --quick:", () => {
  const CASES: [from: string, statement: string, found: string][] = [
    [
      "the matches of a player",
      "DELETE FROM player_matches WHERE match_id = 'match-01' AND result = 1",
      "player_matches match-01",
    ],
    [
      "the matches of a team",
      "DELETE FROM team_matches WHERE match_id = 'match-02'",
      "team_matches match-02",
    ],
    ["the list of matches", "DELETE FROM matches WHERE id = 'match-03'", "matches match-03"],
    ["the name index", "DELETE FROM name_index WHERE key = '=uma'", "name_index player-5"],
  ];
  test.each(CASES)("%s", async (_from, statement, found) => {
    const report = await whileDamaged(statement, () => verified(uncached.settings, "na", true));
    expect(damageOf(report)).toContain(found);
  });

  test("none is missing from the whole shard", async () => {
    expect(await verified(uncached.settings, "na")).toMatchObject({
      state: "clean",
      rebuilt: true,
    });
  });
});

describe("the digest of a shard, and a copy of it, stop at", () => {
  const CASES: [what: string, statement: string, message: string][] = [
    [
      "a match with another patch",
      "UPDATE match_documents SET patch_version = '2' WHERE id = 'match-03'",
      "match match-03 is damaged",
    ],
    [
      "a match whose document is missing",
      "DELETE FROM match_documents WHERE id = 'match-03'",
      "match match-03 is damaged",
    ],
    [
      "changed bytes of a record that are not served",
      "UPDATE matches SET snapshot = set_byte(snapshot, 8, 255 - get_byte(snapshot, 8)) WHERE id = 'match-03'",
      "match match-03 is damaged",
    ],
    [
      "a withheld match",
      "UPDATE withheld SET reason = 'ending' WHERE id = 'match-05'",
      "match match-05 is damaged",
    ],
    [
      "a player",
      "UPDATE players SET name = 'Zed' WHERE id = 'player-3'",
      "player player-3 is damaged",
    ],
    ["a team", "UPDATE teams SET name = 'RED' WHERE id = 'team-2'", "team team-2 is damaged"],
  ];
  test.each(CASES)("%s", async (_what, statement, message) => {
    const digest = whileDamaged(statement, () => digestAt(uncached.data));
    await expect(digest).rejects.toThrow(message);
  });
});

describe("ingest does not build on", () => {
  const late = aMatch({
    id: "late",
    createdAt: Date.UTC(2026, 0, 1, 0, 4, 1),
    rosters: [{ members: [{ id: "player-4", name: "Ida" }] }, { members: [] }],
  });
  const CASES: [what: string, statement: string, message: string][] = [
    [
      "damaged totals of a player",
      "UPDATE players SET wins = wins + 1 WHERE id = 'player-4'",
      "player player-4 is damaged",
    ],
    [
      "a damaged index of results",
      "UPDATE player_matches SET result = 1 - result WHERE match_id = 'match-09' AND result < 2",
      "match-09 is damaged",
    ],
  ];
  test.each(CASES)("%s", async (_what, statement, message) => {
    const ingested = whileDamaged(statement, () => uncached.ingest([late]));
    await expect(ingested).rejects.toThrow(message);
  });
});
