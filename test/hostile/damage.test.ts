/**
 * Tests copies of a shard with overwritten bytes: no response has a wrong value or another record's data, where
 * something is missing, the check for damage finds it, and whatever changes a response, verify finds.
 * DAMAGED_COPIES sets how many copies there are.
 */

import { Database } from "bun:sqlite";
import { afterAll, describe, expect, test } from "bun:test";
import { closeSync, openSync, readFileSync, statSync, writeSync } from "node:fs";
import { join } from "node:path";
import { Random } from "../../src/demo/random.ts";
import { StoreError } from "../../src/store/store.ts";
import { damageIn, dropLastEntry, emptyFirstEntry } from "../support/check.ts";
import { TestClock } from "../support/keys.ts";
import { scaled } from "../support/scale.ts";
import { verified } from "../support/verify.ts";
import { startWorld } from "../support/world.ts";
import { askEverything, QUESTIONS, RECORDS, recordsOf, truthOf } from "./damage.ts";

const COPIES = Number(process.env.DAMAGED_COPIES ?? scaled(60));
const SEED = Number(process.env.DAMAGE_SEED ?? 1);

// The server's own check would find some copies before they are asked.
const NEVER = { pauseMs: 2 ** 30 };
// All records are in the last 28 days.
const clock = new TestClock("2026-01-20T00:00:00Z");
const world = await startWorld(RECORDS, {}, clock, "", NEVER);
afterAll(() => world.stop());
const original = join(world.data, "na.db");
const settle = new Database(original);
settle.run("PRAGMA wal_checkpoint(TRUNCATE)");
settle.close();
const truth = await truthOf(world, "na");

let made = 0;
/** The same records as another shard, in a file of its own. */
async function newShard(): Promise<string> {
  const shard = `copy-${made++}`;
  await world.ingest(recordsOf(shard));
  return shard;
}
const fileOf = (shard: string) => join(world.data, `${shard}.db`);

const ask = (shard: string) => askEverything(world, clock, truth, shard);

/** Damages copies one by one. Returns what was seen, with the wrong responses. */
async function damaged(copies: number, harm: (path: string, copy: number) => void) {
  const summary = {
    wrong: [] as string[],
    detected: 0,
    omissions: 0,
    harmless: 0,
    /** Copies from which something is missing, and the check does not find it. */
    overlooked: [] as string[],
    /** Copies that are served otherwise than the original, and verify does not find it. */
    unverified: [] as string[],
    /** Copies for which the check reports damage, of those that were judged so. */
    found: { detected: 0, omissions: 0, harmless: 0 },
    checkMs: 0,
  };
  for (let copy = 0; copy < copies; copy++) {
    const shard = await newShard();
    harm(fileOf(shard), copy);
    const found = await ask(shard);
    summary.wrong.push(...found.wrong.map((path) => `copy ${copy}: ${path}`));
    const verdict =
      found.detected.length > 0 ? "detected" : found.omission.length > 0 ? "omissions" : "harmless";
    summary[verdict] += 1;
    const began = performance.now();
    const isFound = await hasDamage(fileOf(shard));
    summary.checkMs += performance.now() - began;
    if (verdict !== "harmless" && (await verified(world.settings, shard)).state === "clean") {
      summary.unverified.push(`copy ${copy}: ${[...found.detected, ...found.omission]}`);
    }
    if (isFound) summary.found[verdict] += 1;
    else if (verdict === "omissions") summary.overlooked.push(`copy ${copy}: ${found.omission}`);
  }
  summary.checkMs = Math.round(summary.checkMs / copies);
  return summary;
}

/** A file that cannot be opened is damaged too. */
async function hasDamage(path: string): Promise<boolean> {
  try {
    return (await damageIn(path)).length > 0;
  } catch (error) {
    if (error instanceof StoreError) return true;
    throw error;
  }
}

/** Overwrites this many bytes at random places. */
function overwrite(path: string, bytes: number, random: Random): void {
  const { size } = statSync(path);
  const file = openSync(path, "r+");
  for (let count = 0; count < bytes; count++) {
    writeSync(file, Uint8Array.of(random.int(0, 255)), 0, 1, random.int(0, size - 1));
  }
  closeSync(file);
}

test("the questions have answers", async () => {
  expect(truth.lists.get("")!.length).toBe(10);
  expect((await ask("na")).right.length).toBe(QUESTIONS);
  for (const path of ["actors", "leaderboards/ranked-wins", "players/player-1/company"]) {
    expect((await world.get(`/shards/na/${path}`)).body.data).not.toEqual([]);
  }
});

test.each([1, 5])(
  "with %d bytes overwritten, nothing wrong is served",
  async (bytes) => {
    const random = new Random(SEED, bytes);
    const summary = await damaged(bytes === 1 ? COPIES : Math.ceil(COPIES / 5), (path) =>
      overwrite(path, bytes, random),
    );
    if (process.env.DAMAGED_COPIES) console.log(bytes, summary);
    expect(summary.wrong).toEqual([]);
    expect(summary.overlooked).toEqual([]);
    expect(summary.unverified).toEqual([]);
  },
  3_600_000,
);

/** The used bytes of all pages of indexes, as [first, after the last]. In this shard each index has one page. */
function indexBytes(): [number, number][] {
  const database = new Database(original, { readonly: true });
  const pages = database
    .query<{ page: number; size: number }, []>(
      `SELECT rootpage AS page, page_size AS size FROM sqlite_schema, pragma_page_size
       WHERE type = 'index' OR name IN ('player_matches', 'team_matches', 'name_index')`,
    )
    .all();
  database.close();
  const bytes = readFileSync(original);
  return pages.flatMap(({ page, size }): [number, number][] => {
    const start = (page - 1) * size;
    const pointers = start + 8 + 2 * bytes.readUInt16BE(start + 3);
    return [
      [start, pointers],
      [start + bytes.readUInt16BE(start + 5), start + size],
    ];
  });
}

test("with a byte of an index overwritten, nothing wrong is served, and what is missing is found", async () => {
  const random = new Random(SEED, 0);
  const ranges = indexBytes();
  const summary = await damaged(Math.ceil(COPIES / 2), (path) => {
    const [first, end] = ranges[random.int(0, ranges.length - 1)]!;
    const file = openSync(path, "r+");
    writeSync(file, Uint8Array.of(random.int(0, 255)), 0, 1, random.int(first, end - 1));
    closeSync(file);
  });
  if (process.env.DAMAGED_COPIES) console.log("index", summary);
  expect(summary.wrong).toEqual([]);
  expect(summary.overlooked).toEqual([]);
  expect(summary.unverified).toEqual([]);
}, 3_600_000);

test("an index entry whose values are gone is damage, not an error of the server", async () => {
  const shard = await newShard();
  emptyFirstEntry(fileOf(shard), "players_by_seen");
  const { status, body } = await world.get(`/shards/${shard}/players`);
  expect([status, body.errors[0].code]).toEqual([503, "damaged-data"]);
  expect(await damageIn(fileOf(shard))).not.toEqual([]);
});

describe("one value changed:", () => {
  const CASES: [what: string, sql: (copy: number) => string][] = [
    ["a player number of a match", playerNumber],
    ["the id of a match", () => "UPDATE matches SET id = 'match-zz' WHERE num = 3"],
    [
      "the time of a match",
      (copy) => `UPDATE matches SET created_at = created_at + ${copy + 1} WHERE num = 4`,
    ],
    [
      "the mode of a match",
      () => "UPDATE matches SET game_mode = 'ranked' WHERE game_mode = 'casual'",
    ],
    ["the id of a player", () => "UPDATE players SET id = 'player-zz' WHERE num = 2"],
    [
      "the name of a player",
      (copy) => `UPDATE players SET name = 'Zed' WHERE num = ${(copy % 6) + 1}`,
    ],
    ["the totals of a player", () => "UPDATE players SET last_match_at = last_match_at + 1"],
    ["the name of a team", () => "UPDATE teams SET name = 'RED'"],
    [
      "the match of an index entry",
      (copy) => `UPDATE player_matches SET match = ${(copy % 10) + 1} WHERE player = 2`,
    ],
    [
      "the time of an index entry",
      () => "UPDATE player_matches SET created_at = created_at + 7 WHERE match = 5",
    ],
    [
      "the player of an index entry",
      () => "UPDATE OR IGNORE player_matches SET player = 3 WHERE player = 2",
    ],
    ["the result of an index entry", () => "UPDATE player_matches SET result = 2 - result"],
    ["the team of an index entry", () => "UPDATE OR IGNORE team_matches SET team = 3 - team"],
    ["the name index", () => "UPDATE OR IGNORE name_index SET name = 'Zed' WHERE name LIKE '%da'"],
  ];
  /** Moves the number of the first player of a match on, as one flipped byte would. */
  function playerNumber(copy: number): string {
    const database = new Database(original, { readonly: true });
    const { num, document } = database
      .query<{ num: number; document: Uint8Array }, [number]>(
        "SELECT num, document FROM matches ORDER BY num LIMIT 1 OFFSET ?",
      )
      .get(copy % 10)!;
    database.close();
    document[4] = (document[4]! % 6) + 1;
    return `UPDATE matches SET document = x'${Buffer.from(document).toString("hex")}' WHERE num = ${num}`;
  }
  const TARGETED = Math.max(2, Math.ceil(COPIES / 25));

  test.each(CASES)(
    "%s",
    async (_what, sql) => {
      const summary = await damaged(TARGETED, (path, copy) => {
        const database = new Database(path);
        database.run(sql(copy));
        database.run("PRAGMA wal_checkpoint(TRUNCATE)");
        database.close();
      });
      expect(summary.wrong).toEqual([]);
      expect(summary.harmless).toBe(0);
      expect(summary.overlooked).toEqual([]);
      expect(summary.unverified).toEqual([]);
    },
    600_000,
  );
});

describe("entries missing, which most requests cannot see:", () => {
  const run = (path: string, sql: string) => {
    const database = new Database(path);
    database.run(sql);
    database.close();
  };
  const INDEXES = [
    ["matches", "sqlite_autoindex_matches_1"],
    ["matches", "matches_by_time"],
    ["matches", "matches_by_mode"],
    ["matches", "matches_by_patch"],
    ["players", "sqlite_autoindex_players_1"],
    ["players", "players_by_name"],
    ["players", "players_by_seen"],
    ["teams", "teams_by_name"],
  ] as const;
  const CASES: [from: string, harm: (path: string) => void, found: string][] = [
    [
      "the matches of a player",
      (path) => run(path, "DELETE FROM player_matches WHERE player = 2 AND match_id = 'match-01'"),
      "player_matches match-01",
    ],
    [
      "the matches of a team",
      (path) => run(path, "DELETE FROM team_matches WHERE match_id = 'match-02'"),
      "team_matches match-02",
    ],
    [
      "the name index",
      (path) => run(path, "DELETE FROM name_index WHERE key = '=uma'"),
      "name_index player-5",
    ],
    ...INDEXES.map(([table, index]): (typeof CASES)[number] => [
      index,
      (path) => dropLastEntry(path, index),
      `${table} `,
    ]),
  ];

  test.each(CASES)("%s", async (_from, harm, found) => {
    const shard = await newShard();
    harm(fileOf(shard));
    expect((await ask(shard)).wrong).toEqual([]);
    expect((await damageIn(fileOf(shard)))[0]).toStartWith(found);
    const write = () => run(fileOf(shard), "CREATE TABLE other (value); DROP TABLE other");
    expect((await damageIn(fileOf(shard), 500, write))[0]).toStartWith(found);
  });
});
