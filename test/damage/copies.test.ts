/** Bytes of files that are overwritten, and indexes with wrong or missing entries. copies.long.test.ts has many more. */

import { afterAll, describe, expect, test } from "bun:test";
import { Chance } from "../support/chance.ts";
import { ALL_READ, dropLastEntry, emptyFirstEntry, type Index } from "../support/engine-sqlite.ts";
import { damageIn } from "../support/verify.ts";
import { flipSome, startDamagedCopies } from "./copies.ts";

const COPIES = 4;

const { world, fileOf, ask, newShard, damaged } = await startDamagedCopies();
afterAll(() => world.stop());

test("with random bytes overwritten, nothing wrong is served, and what is missing is found", async () => {
  const random = new Chance(1);
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

describe("an entry missing in an index, which most requests cannot see, is found by verify:", () => {
  const INDEXES: Index[] = [
    ...(["records by id", "matches by id", "matches by mode", "matches by patch"] as const),
    ...(["players by id", "players by name", "players by last match", "teams by name"] as const),
  ];
  test.each(INDEXES)("%s", async (index) => {
    const shard = await newShard();
    dropLastEntry(fileOf(shard), index);
    expect((await ask(shard)).wrong).toEqual([]);
    expect((await damageIn(fileOf(shard), false))[0]).toStartWith("file ");
  });
});
