/**
 * Tests copies of a shard with overwritten bytes: no response has a wrong value or another record's data.
 * DAMAGED_COPIES sets how many copies there are.
 */

import { Database } from "bun:sqlite";
import { afterAll, describe, expect, test } from "bun:test";
import { closeSync, copyFileSync, openSync, statSync, writeSync } from "node:fs";
import { join } from "node:path";
import { Random } from "../../src/demo/random.ts";
import { scaled } from "../support/scale.ts";
import { startWorld } from "../support/world.ts";
import { everythingAsked, LISTS, RECORDS, SINGLES, truthOf } from "./damage.ts";

const COPIES = Number(process.env.DAMAGED_COPIES ?? scaled(60));
const SEED = Number(process.env.DAMAGE_SEED ?? 1);

const world = await startWorld(RECORDS, { "log-level": "silent" });
afterAll(() => world.stop());
const original = join(world.data, "na.db");
const settle = new Database(original);
settle.run("PRAGMA wal_checkpoint(TRUNCATE)");
settle.close();
const truth = await truthOf(world, "na");

let made = 0;
const newShard = () => `copy-${made++}`;
const fileOf = (shard: string) => join(world.data, `${shard}.db`);

/** Damages copies one by one. Returns what was seen, with the wrong responses. */
async function damaged(copies: number, harm: (path: string, copy: number) => void) {
  const summary = { wrong: [] as string[], detected: 0, omissions: 0, harmless: 0 };
  for (let copy = 0; copy < copies; copy++) {
    const shard = newShard();
    copyFileSync(original, fileOf(shard));
    harm(fileOf(shard), copy);
    const found = await everythingAsked(world, shard, truth);
    summary.wrong.push(...found.wrong.map((path) => `copy ${copy}: ${path}`));
    if (found.detected.length > 0) summary.detected += 1;
    else if (found.omission.length > 0) summary.omissions += 1;
    else summary.harmless += 1;
  }
  return summary;
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
  expect((await everythingAsked(world, "na", truth)).right.length).toBe(
    LISTS.length + SINGLES.length,
  );
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
  },
  3_600_000,
);

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
    },
    600_000,
  );
});
