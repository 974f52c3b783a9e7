/**
 * Overwrites bytes of many shards while they are served, as damage-serving.test.ts does with a few. DAMAGED_COPIES sets
 * how many there are, DAMAGE_SEED which bytes are overwritten.
 */

import { afterAll, expect, test } from "bun:test";
import { Chance } from "../support/chance.ts";
import { ALL_READ } from "../support/engine-sqlite.ts";
import { scaled } from "../support/scale.ts";
import { flipAnywhere, flipSome } from "./copies.ts";
import { startServedCopies } from "./serving.ts";

const COPIES = Number(process.env.DAMAGED_COPIES ?? scaled(20));
const SEED = Number(process.env.DAMAGE_SEED ?? 1);

const { world, damaged } = await startServedCopies();
afterAll(() => world.stop());

test.each([
  [1, "of the file", false],
  [5, "of the file", false],
  [1, "of the file or its WAL", true],
  [5, "of the file or its WAL", true],
] as const)(
  "with %d bytes %s overwritten, it is noticed, and nothing wrong is served",
  async (bytes, _where, withWal) => {
    const random = new Chance(SEED, withWal ? 100 + bytes : bytes);
    const copies = bytes === 1 ? COPIES : Math.ceil(COPIES / 2);
    const summary = await damaged(copies, withWal, (path) =>
      flipSome(path, ALL_READ, bytes, random),
    );
    if (process.env.DAMAGED_COPIES) console.log(bytes, withWal, summary);
    expect(summary.wrong).toEqual([]);
    expect(summary.harmless).toBeLessThan(copies);
  },
  7_200_000,
);

test("with a byte anywhere in the file overwritten, nothing wrong is served", async () => {
  const random = new Chance(SEED, 0);
  const { wrong } = await damaged(COPIES, false, (path) => flipAnywhere(path, 1, random));
  expect(wrong).toEqual([]);
}, 7_200_000);
