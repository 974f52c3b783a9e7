/** Tests what the digest of a damaged SQLite shard covers: matches, players and teams, but not indexes. */

import { Database } from "bun:sqlite";
import { afterAll, describe, expect, test } from "bun:test";
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Random } from "../../src/demo/random.ts";
import type { JsonObject } from "../../src/domain/json.ts";
import { digestOf } from "../../src/export/digest.ts";
import { unobserved } from "../../src/observe/events.ts";
import { openShards } from "../../src/open-stores.ts";
import { DamagedData, StoreError } from "../../src/store/store.ts";
import { matchbook } from "../support/process.ts";
import { scaled } from "../support/scale.ts";
import { startWorld } from "../support/world.ts";
import { RECORDS } from "./damage.ts";

const world = await startWorld(RECORDS);
afterAll(() => world.stop());
const original = join(world.data, "na.db");
sqlite(original, "PRAGMA wal_checkpoint(TRUNCATE)");
const whole = await digest(world.data);

function sqlite(path: string, ...statements: string[]): void {
  const database = new Database(path);
  for (const statement of statements) database.run(statement);
  database.close();
}

let made = 0;
/** The folder of a copy of the shard, changed. */
function copy(change: (path: string) => void): string {
  const data = join(world.data, `copy-${made++}`);
  mkdirSync(data);
  const path = join(data, "na.db");
  copyFileSync(original, path);
  change(path);
  return data;
}

/** As `matchbook shards digest` computes it. */
async function digest(data: string): Promise<string> {
  const shards = openShards({ ...world.settings, data }, unobserved, undefined, "read");
  try {
    return (await (await shards.existingWriter("na"))!.survey((all) => digestOf(all))).digest;
  } finally {
    await shards.close();
  }
}

describe("the digest", () => {
  const ROWS: [table: string, change: string, names: RegExp][] = [
    ["matches", "id = 'match-zz'", /^match match-zz is damaged/],
    ["matches", "created_at = created_at + 1", /^match match-03 is damaged/],
    ["matches", "game_mode = 'blitz'", /^match match-03 is damaged/],
    ["matches", "patch_version = '9'", /^match match-03 is damaged/],
    ["matches", "results = zeroblob(length(results))", /^match match-03 is damaged/],
    ["matches", "document = zeroblob(100)", /^match match-03 is damaged/],
    ["matches", "checksum = 1", /^match match-03 is damaged/],
    ["match_snapshots", "snapshot = zeroblob(100)", /^match match-03 is damaged/],
    ["players", "id = 'player-zz'", /^player player-zz is damaged/],
    ["players", "name = 'Zed'", /^player player-3 is damaged/],
    ["players", "last_match_at = 0", /^player player-3 is damaged/],
    ["players", "streak = 7", /^player player-3 is damaged/],
    ["players", "wins = wins + 1", /^player player-3 is damaged/],
    ["players", "gold = '1'", /^player player-3 is damaged/],
    ["players", "resource = zeroblob(50)", /^player player-3 is damaged/],
    ["players", "linked = zeroblob(50)", /^player player-3 is damaged/],
    ["teams", "id = 'team-zz'", /^team team-zz is damaged/],
    ["teams", "name = 'ZED'", /^team team-0 is damaged/],
    ["teams", "resource = NULL", /^team team-0 is damaged/],
    ["withheld", "document = zeroblob(100)", /^match match-05 is damaged/],
  ];
  const WHERE: Record<string, string> = {
    matches: "id = 'match-03'",
    match_snapshots: "match = (SELECT num FROM matches WHERE id = 'match-03')",
    players: "id = 'player-3'",
    teams: "id = 'team-0'",
    withheld: "id = 'match-05'",
  };

  test.each(ROWS)("is refused after a change of %s: %s", async (table, change, names) => {
    const data = copy((path) =>
      sqlite(path, `UPDATE ${table} SET ${change} WHERE ${WHERE[table]}`),
    );
    await expect(digest(data)).rejects.toThrow(DamagedData);
    await expect(digest(data)).rejects.toThrow(names);
  });

  test.each(["matches", "players", "teams"])(
    "is another one without a row of %s",
    async (table) => {
      const data = copy((path) => sqlite(path, `DELETE FROM ${table} WHERE ${WHERE[table]}`));
      expect(await digest(data)).not.toBe(whole);
    },
  );

  test.each([
    "UPDATE player_matches SET result = 1 - result",
    "UPDATE team_matches SET plays = 0",
    "UPDATE name_index SET name = 'Zed' || name",
    "UPDATE vocabulary SET word = 'path:zed'",
    "UPDATE ranked_evidence SET records = 99",
    "DELETE FROM dependents",
    "UPDATE matches SET content_hash = zeroblob(32)",
    "DELETE FROM changes",
  ])("does not cover: %s", async (change) => {
    expect(await digest(copy((path) => sqlite(path, change)))).toBe(whole);
  });

  // In a row the values are next to each other, in the order of the columns; an index has another order.
  test.each([
    ["match-03", "match-03".length, Buffer.concat([Buffer.from("match-03"), timeOf("match-03")])],
    ["player-3", "player-".length, Buffer.from("player-3Eve")],
  ])(
    "is refused if the row of %s has not the time or id of its index entry",
    async (id, offset, row) => {
      const data = copy((path) => {
        const bytes = readFileSync(path);
        bytes[bytes.indexOf(row) + offset]! ^= 1;
        writeFileSync(path, bytes);
      });
      await expect(digest(data)).rejects.toThrow(`${id} is damaged`);
    },
  );

  test("is refused if an index leads to the same match twice", async () => {
    const data = copy((path) => repeatFirstEntry(path, "matches_by_time"));
    await expect(digest(data)).rejects.toThrow(/^match match-00 is damaged/);
  });

  test("of a copy with any byte overwritten is refused, or another, or its records are the same", async () => {
    const random = new Random(1);
    const seen = { refused: 0, other: 0, same: 0 };
    const records = recordsIn(original);
    for (let count = 0; count < scaled(1000); count++) {
      const data = copy((path) => {
        const bytes = readFileSync(path);
        bytes[random.int(0, bytes.length - 1)] = random.int(0, 255);
        writeFileSync(path, bytes);
      });
      const found = await digest(data).catch((error) => {
        if (error instanceof StoreError) return undefined;
        throw error;
      });
      if (found === undefined) seen.refused += 1;
      else if (found !== whole) seen.other += 1;
      else {
        seen.same += 1;
        expect(recordsIn(join(data, "na.db"))).toEqual(records);
      }
    }
    expect(seen.refused).toBePositive();
    expect(seen.same).toBePositive();
  }, 600_000);
});

test("matchbook shards digest of a damaged shard names the record, prints no digest and exits with 1", async () => {
  const data = copy((path) =>
    sqlite(path, "UPDATE players SET name = 'Zed' WHERE id = 'player-3'"),
  );
  expect(await matchbook(["shards", "digest", "na", "--data", data])).toMatchObject({
    exitCode: 1,
    stdout: "",
    stderr:
      "matchbook: player player-3 is damaged in the store: run 'matchbook repair', or restore the shard from a backup\n",
  });
}, 30_000);

/** The time of a match as SQLite stores it. */
function timeOf(match: string): Buffer {
  const { attributes } = RECORDS.find(({ data }) => data.id === match)!.data;
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64BE(BigInt(Date.parse((attributes as JsonObject).createdAt as string)));
  return bytes.subarray(2);
}

/** All values that the digest claims to cover. */
function recordsIn(path: string): unknown[] {
  const database = new Database(path, { readonly: true });
  try {
    return [
      "id, created_at, game_mode, patch_version, results, document FROM matches",
      "match, snapshot FROM match_snapshots",
      "num, id, name, last_match_at, streak, played, wins, gold, resource, linked FROM players",
      "num, id, name, resource, linked FROM teams",
    ].map((rest) => database.query(`SELECT ${rest} NOT INDEXED`).values());
  } finally {
    database.close();
  }
}

/** Makes the second entry of an index the same as the first, by its pointers in the page. */
function repeatFirstEntry(path: string, index: string): void {
  const database = new Database(path);
  const { rootpage } = database
    .query<{ rootpage: number }, [string]>("SELECT rootpage FROM sqlite_schema WHERE name = ?")
    .get(index)!;
  database.close();
  const bytes = readFileSync(path);
  // The page of a leaf begins with 8 bytes; then come the offsets of its entries, two bytes each.
  const pointers = (rootpage - 1) * bytes.readUInt16BE(16) + 8;
  bytes.copyWithin(pointers + 2, pointers, pointers + 2);
  writeFileSync(path, bytes);
}
