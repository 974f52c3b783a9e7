/**
 * Overwrites bytes of many copies of a shard. DAMAGED_COPIES sets how many there are, DAMAGE_SEED which bytes are
 * overwritten.
 */

import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { StoreError } from "../../src/store/store.ts";
import { Chance } from "../support/chance.ts";
import { ALL_INDEXES, ALL_READ, coveredByDigest, type Stored } from "../support/engine-sqlite.ts";
import { costly, scaled } from "../support/scale.ts";
import { damageIn } from "../support/verify.ts";
import { fileOf, flipAnywhere, flipSome, overwrite } from "./overwritten.ts";
import { type Place, startPlace } from "./places.ts";

const COPIES = Number(process.env.DAMAGED_COPIES ?? scaled(60));
const SEED = Number(process.env.DAMAGE_SEED ?? 1);

let place: Place;
beforeAll(async () => {
  place = await startPlace("SQLite");
});
afterAll(() => place.stop());

const some = (stored: readonly Stored[], bytes: number) => (path: string, random: Chance) =>
  flipSome(path, stored, bytes, random);

const CASES: [what: string, harm: typeof flipAnywhere, share: number, withWal: boolean][] = [
  ["1 byte of anything that is read", some(ALL_READ, 1), 1, false],
  ["5 bytes of anything that is read", some(ALL_READ, 5), 1 / 5, false],
  ["1 byte of an index", some(ALL_INDEXES, 1), 1 / 2, false],
  ["1 byte of the file or its WAL", some(ALL_READ, 1), 1 / 3, true],
  ["5 bytes of the file or its WAL", some(ALL_READ, 5), 1 / 6, true],
  ["1 byte anywhere in the file", flipAnywhere, 1, false],
];

test.each(CASES)(
  "with %s overwritten, nothing wrong is served, and what is missing is found",
  async (what, harm, share, withWal) => {
    const random = new Chance(SEED, Bun.hash.crc32(what));
    const copies = Math.ceil(COPIES * share);
    const summary = await overwrite(place, copies, (path) => harm(path, random), withWal);
    if (process.env.DAMAGED_COPIES) console.log(what, summary);
    expect(summary).toMatchObject({ wrong: [], unverified: [] });
    if (harm !== flipAnywhere) expect(summary.harmless).toBeLessThan(copies);
  },
  7_200_000,
);

test("the digest of a copy with any byte overwritten is refused, or another, or its records are the same, or verify finds what an index hides", async () => {
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
}, 600_000);
