/**
 * Tests copies of a shard with one damage: no response has a wrong value or another record's data, and whatever changes a
 * response, verify finds. damage.long.test.ts has many more copies.
 */

import { afterAll, describe, expect, test } from "bun:test";
import { Random } from "../../src/demo/random.ts";
import { inflict } from "../support/engine.ts";
import {
  ALL_READ,
  dropLastEntry,
  emptyFirstEntry,
  type Index,
  sqliteRows,
} from "../support/engine-sqlite.ts";
import { damageIn } from "../support/verify.ts";
import { QUESTIONS } from "./damage.ts";
import { flipSome, startDamagedCopies, VALUES } from "./damaged-copies.ts";

const COPIES = 4;

const { world, truth, fileOf, ask, newShard, damaged } = await startDamagedCopies();
afterAll(() => world.stop());

test("the questions have answers", async () => {
  expect(truth.lists.get("")!.length).toBe(10);
  expect((await ask("na")).right.length).toBe(QUESTIONS);
  for (const path of ["heroes", "leaderboards/ranked-wins", "players/player-1/played-with"]) {
    expect((await world.get(`/shards/na/${path}`)).body.data).not.toEqual([]);
  }
});

test("with random bytes overwritten, nothing wrong is served, and what is missing is found", async () => {
  const random = new Random(1);
  const summary = await damaged(COPIES, (path) => flipSome(path, ALL_READ, 3, random));
  expect(summary.harmless).toBeLessThan(COPIES);
  expect(summary).toMatchObject({ wrong: [], unverified: [] });
});

test("an index entry whose values are gone is damage, not an error of the server", async () => {
  const shard = await newShard();
  emptyFirstEntry(fileOf(shard), "players by last match");
  const { status, body } = await world.get(`/shards/${shard}/players`);
  expect([status, body.errors[0].code]).toEqual([503, "damaged-data"]);
  expect(await damageIn(fileOf(shard))).not.toEqual([]);
});

describe("one value changed:", () => {
  test.each(VALUES)("%s", async (_what, damage) => {
    const summary = await damaged(1, (path) => inflict(sqliteRows(path), damage(0)));
    expect(summary).toMatchObject({ wrong: [], harmless: 0, unverified: [] });
  });
});

describe("entries missing, which most requests cannot see, are found by verify:", () => {
  const INDEXES: Index[] = [
    "records by id",
    "matches by id",
    "matches by mode",
    "matches by patch",
    "players by id",
    "players by name",
    "players by last match",
    "teams by name",
  ];
  const CASES: [from: string, harm: (path: string) => void, found: string][] = [
    [
      "the matches of a player",
      (path) => sqliteRows(path).remove("player entry", { player: "player-1", match: "match-01" }),
      "player_matches match-01",
    ],
    [
      "the matches of a team",
      (path) => sqliteRows(path).remove("team entry", { match: "match-02" }),
      "team_matches match-02",
    ],
    [
      "the name index",
      (path) => sqliteRows(path).remove("name entry", { key: "=uma" }),
      "name_index =uma",
    ],
    ...INDEXES.map((index): (typeof CASES)[number] => [
      index,
      (path) => dropLastEntry(path, index),
      "file ",
    ]),
  ];

  test.each(CASES)("%s", async (_from, harm, found) => {
    const shard = await newShard();
    harm(fileOf(shard));
    expect((await ask(shard)).wrong).toEqual([]);
    expect((await damageIn(fileOf(shard), false))[0]).toStartWith(found);
  });
});
