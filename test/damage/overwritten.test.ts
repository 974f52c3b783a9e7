/**
 * Bytes of files that are overwritten, and indexes with wrong or missing entries. DAMAGED_COPIES sets how many copies are
 * damaged, DAMAGE_SEED which bytes of them.
 */

import { describe, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { StoreError } from "../../src/store/store.ts";
import { Chance } from "../support/chance.ts";
import {
  ALL_INDEXES,
  ALL_READ,
  coveredByDigest,
  dropLastEntry,
  emptyFirstEntry,
  type Index,
  repeatFirstEntry,
  retypeFirst,
  type Stored,
} from "../support/engine-sqlite.ts";
import { costly, scaled, testLong } from "../support/scale.ts";
import { shared } from "../support/shared.ts";
import { damageIn } from "../support/verify.ts";
import { fileOf, flipAnywhere, flipSome, overwrite } from "./overwritten.ts";
import { startPlace } from "./places.ts";

const COPIES = Number(process.env.DAMAGED_COPIES ?? scaled(60));
const SEED = Number(process.env.DAMAGE_SEED ?? 1);

const place = shared(() => startPlace("SQLite"));

const some = (stored: readonly Stored[], bytes: number) => (path: string, random: Chance) =>
  flipSome(path, stored, bytes, random);

type Case = [what: string, harm: typeof flipAnywhere, copies: number, withWal: boolean];

// So many bytes that hardly all of them can be where no request looks.
const AT_ONCE: Case[] = [
  ["12 bytes of anything that is read", some(ALL_READ, 12), 1, false],
  ["12 bytes of rows of matches in the WAL", some(["match"], 12), 1, true],
  ["12 bytes of entries of players in the file", some(["player entry"], 12), 1, false],
  ["12 bytes of an index in the WAL", some(["listed match"], 12), 1, true],
];
const IN_MANY_COPIES: Case[] = [
  ["1 byte of anything that is read", some(ALL_READ, 1), COPIES, false],
  ["5 bytes of anything that is read", some(ALL_READ, 5), COPIES / 5, false],
  ["1 byte of an index", some(ALL_INDEXES, 1), COPIES / 2, false],
  ["1 byte of the file or its WAL", some(ALL_READ, 1), COPIES / 3, true],
  ["5 bytes of the file or its WAL", some(ALL_READ, 5), COPIES / 6, true],
  ["1 byte anywhere in the file", flipAnywhere, COPIES, false],
];

const isFound = "with %s overwritten, nothing wrong is served, and what is missing is found";
test.each(AT_ONCE)(isFound, find);
testLong.each(IN_MANY_COPIES)(isFound, find, 7_200_000);

async function find(...[what, harm, copies, withWal]: Case): Promise<void> {
  const random = new Chance(SEED, Bun.hash.crc32(what));
  const count = Math.ceil(copies);
  const summary = await overwrite(place, count, (path) => harm(path, random), withWal);
  if (process.env.DAMAGED_COPIES) console.log(what, summary);
  expect(summary).toMatchObject({ wrong: [], unverified: [] });
  if (harm !== flipAnywhere) expect(summary.harmless).toBeLessThan(count);
}

testLong(
  "the digest of a copy with any byte overwritten is refused, or another, or its records are the same, or verify finds what an index hides",
  async () => {
    const random = new Chance(1);
    const seen = { refused: 0, other: 0, same: 0 };
    for (let count = 0; count < costly(1000); count++) {
      const { name, whole, digest } = await place.aShard();
      const path = fileOf(place, name);
      const records = coveredByDigest(path);
      const bytes = readFileSync(path);
      bytes[random.below(bytes.length)] = random.below(256);
      writeFileSync(path, bytes);
      const found = await digest().catch((error) => {
        if (error instanceof StoreError) return undefined;
        throw error;
      });
      seen[found === undefined ? "refused" : found === whole ? "same" : "other"] += 1;
      if (found !== whole || Bun.deepEquals(coveredByDigest(path), records)) continue;
      expect(await damageIn(path, false)).not.toEqual([]);
    }
    expect(seen.refused).toBePositive();
    expect(seen.same).toBePositive();
  },
  600_000,
);

const BLITZ =
  "matches?filter[gameMode]=blitz_pvp_ranked&filter[createdAt-start]=2026-01-01T00:00:00Z";

test.each([
  ["whose values are gone", "players", "players by last match", emptyFirstEntry],
  ["that is there twice", "players", "players by last match", repeatFirstEntry],
  ["whose id is gone", BLITZ, "matches by mode", retypeFirst(2, () => 0)],
  ["whose id is no text", BLITZ, "matches by mode", retypeFirst(2, (type) => type - 1)],
] as const)(
  "an index entry %s is damage: nothing is served by it",
  async (_, list, index, harm) => {
    const { name } = await place.aShard();
    harm(fileOf(place, name), index);
    const { status, body } = await place.world.get(`/shards/${name}/${list}`);
    expect([status, body.errors[0].code]).toEqual([503, "damaged-data"]);
    expect(await damageIn(fileOf(place, name))).not.toEqual([]);
  },
);

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
