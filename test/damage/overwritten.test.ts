/** Bytes of files that are overwritten, and indexes with wrong or missing entries. overwritten.long.test.ts has many more. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Chance } from "../support/chance.ts";
import {
  ALL_READ,
  dropLastEntry,
  emptyFirstEntry,
  type Index,
  repeatFirstEntry,
  type Stored,
} from "../support/engine-sqlite.ts";
import { damageIn } from "../support/verify.ts";
import { fileOf, flipSome, overwrite } from "./overwritten.ts";
import { type Place, startPlace } from "./places.ts";

let place: Place;
beforeAll(async () => {
  place = await startPlace("SQLite");
});
afterAll(() => place.stop());

// So many that hardly all of them can be where no request looks.
const CASES: [what: string, stored: readonly Stored[], bytes: number, withWal: boolean][] = [
  ["anything that is read", ALL_READ, 12, false],
  ["rows of matches in the WAL", ["match"], 12, true],
  ["entries of players in the file", ["player entry"], 12, false],
  ["an index in the WAL", ["listed match"], 12, true],
];

test.each(CASES)(
  "overwritten bytes of %s are noticed while they are served, and nothing wrong is served",
  async (_what, stored, bytes, withWal) => {
    const random = new Chance(1, stored.length);
    const harm = (path: string) => flipSome(path, stored, bytes, random);
    expect(await overwrite(place, 1, harm, withWal)).toMatchObject({
      ...{ wrong: [], harmless: 0, unverified: [] },
    });
  },
);

test.each([
  ["whose values are gone", emptyFirstEntry],
  ["that is there twice", repeatFirstEntry],
] as const)("an index entry %s is damage: nothing is served by it", async (_what, harm) => {
  const { name } = await place.aShard();
  harm(fileOf(place, name), "players by last match");
  const { status, body } = await place.world.get(`/shards/${name}/players`);
  expect([status, body.errors[0].code]).toEqual([503, "damaged-data"]);
  expect(await damageIn(fileOf(place, name))).not.toEqual([]);
});

describe("an entry missing in an index, which most requests cannot see, is found by verify:", () => {
  const INDEXES: Index[] = [
    ...(["records by id", "matches by id", "matches by mode", "matches by patch"] as const),
    ...(["players by id", "players by name", "players by last match", "teams by name"] as const),
  ];

  test.each(INDEXES)("%s", async (index) => {
    const { name, ask } = await place.aShard();
    dropLastEntry(fileOf(place, name), index);
    expect((await ask()).wrong).toEqual([]);
    expect((await damageIn(fileOf(place, name), false))[0]).toStartWith("file ");
  });
});
