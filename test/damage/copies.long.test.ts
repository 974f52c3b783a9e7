/**
 * Damages many copies of a shard, as copies.test.ts does with a few. DAMAGED_COPIES sets how many there are, DAMAGE_SEED
 * which bytes are overwritten.
 */

import { afterAll, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { digestOf } from "../../src/export/digest.ts";
import { StoreError } from "../../src/store/store.ts";
import { Chance } from "../support/chance.ts";
import { ALL_INDEXES, ALL_READ, coveredByDigest, type Stored } from "../support/engine-sqlite.ts";
import { withWriter } from "../support/prune.ts";
import { costly, scaled } from "../support/scale.ts";
import { flipAnywhere, flipSome, startDamagedCopies } from "./copies.ts";

const COPIES = Number(process.env.DAMAGED_COPIES ?? scaled(60));
const SEED = Number(process.env.DAMAGE_SEED ?? 1);
const SOUND = { wrong: [], unverified: [] };

const { world, fileOf, newShard, damaged } = await startDamagedCopies();
afterAll(() => world.stop());

const CASES: [bytes: number, where: string, stored: readonly Stored[], share: number][] = [
  [1, "of anything that is read", ALL_READ, 1],
  [5, "of anything that is read", ALL_READ, 1 / 5],
  [1, "of an index", ALL_INDEXES, 1 / 2],
];
test.each(CASES)(
  "with %d bytes %s overwritten, nothing wrong is served, and what is missing is found",
  async (bytes, where, stored, share) => {
    const random = new Chance(SEED, stored === ALL_INDEXES ? 100 : bytes);
    const copies = Math.ceil(COPIES * share);
    const summary = await damaged(copies, (path) => flipSome(path, stored, bytes, random));
    if (process.env.DAMAGED_COPIES) console.log(bytes, where, summary);
    expect(summary.harmless).toBeLessThan(copies);
    expect(summary).toMatchObject(SOUND);
  },
  3_600_000,
);

test("with a byte anywhere in the file overwritten, nothing wrong is served, and what is missing is found", async () => {
  const random = new Chance(SEED, 200);
  const summary = await damaged(COPIES, (path) => flipAnywhere(path, 1, random));
  expect(summary).toMatchObject(SOUND);
}, 3_600_000);

test("the digest of a copy with any byte overwritten is refused, or another, or its records are the same", async () => {
  const random = new Chance(1);
  const seen = { refused: 0, other: 0, same: 0 };
  for (let count = 0; count < costly(1000); count++) {
    const shard = await newShard();
    const [path, before] = [fileOf(shard), await digest(shard)];
    const records = coveredByDigest(path);
    const bytes = readFileSync(path);
    bytes[random.below(bytes.length)] = random.below(256);
    writeFileSync(path, bytes);
    const found = await digest(shard).catch((error) => {
      if (error instanceof StoreError) return undefined;
      throw error;
    });
    seen[found === undefined ? "refused" : found === before ? "same" : "other"] += 1;
    if (found === before) expect(coveredByDigest(path)).toEqual(records);
  }
  expect(seen.refused).toBePositive();
  expect(seen.same).toBePositive();
}, 600_000);

const digest = (shard: string) =>
  withWriter(world.settings, shard, (writer) =>
    writer.survey(async (all) => (await digestOf(all)).digest),
  );
