/**
 * Damages many copies of a shard, as damage.test.ts does with a few. DAMAGED_COPIES sets how many there are, DAMAGE_SEED
 * which bytes are overwritten.
 */

import { afterAll, expect, test } from "bun:test";
import { Random } from "../../src/demo/random.ts";
import { inflict } from "../support/engine.ts";
import { ALL_INDEXES, ALL_READ, type Stored, sqliteRows } from "../support/engine-sqlite.ts";
import { scaled } from "../support/scale.ts";
import { flipAnywhere, flipSome, startDamagedCopies, VALUES } from "./damaged-copies.ts";

const COPIES = Number(process.env.DAMAGED_COPIES ?? scaled(60));
const SEED = Number(process.env.DAMAGE_SEED ?? 1);
const SOUND = { wrong: [], unverified: [] };

const { world, damaged } = await startDamagedCopies();
afterAll(() => world.stop());

const CASES: [bytes: number, where: string, stored: readonly Stored[], share: number][] = [
  [1, "of anything that is read", ALL_READ, 1],
  [5, "of anything that is read", ALL_READ, 1 / 5],
  [1, "of an index", ALL_INDEXES, 1 / 2],
];
test.each(CASES)(
  "with %d bytes %s overwritten, nothing wrong is served, and what is missing is found",
  async (bytes, where, stored, share) => {
    const random = new Random(SEED, bytes, stored === ALL_INDEXES ? 1 : 0);
    const copies = Math.ceil(COPIES * share);
    const summary = await damaged(copies, (path) => flipSome(path, stored, bytes, random));
    if (process.env.DAMAGED_COPIES) console.log(bytes, where, summary);
    expect(summary.harmless).toBeLessThan(copies);
    expect(summary).toMatchObject(SOUND);
  },
  3_600_000,
);

test("with a byte anywhere in the file overwritten, nothing wrong is served, and what is missing is found", async () => {
  const random = new Random(SEED, 0, 2);
  const summary = await damaged(COPIES, (path) => flipAnywhere(path, 1, random));
  expect(summary).toMatchObject(SOUND);
}, 3_600_000);

test.each(VALUES)(
  "one value changed: %s",
  async (_what, damage) => {
    const copies = Math.max(2, Math.ceil(COPIES / 25));
    const summary = await damaged(copies, (path, copy) => inflict(sqliteRows(path), damage(copy)));
    expect(summary).toMatchObject({ ...SOUND, harmless: 0 });
  },
  600_000,
);
