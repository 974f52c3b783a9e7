/**
 * Overwrites bytes of shards while they are served: the damage is noticed, and no response has a wrong value or another
 * record's data. damage-serving.long.test.ts has many more copies.
 */

import { afterAll, expect, test } from "bun:test";
import { Chance } from "../support/chance.ts";
import type { Stored } from "../support/engine-sqlite.ts";
import { flipSome } from "./copies.ts";
import { startServedCopies } from "./serving.ts";

const { world, damaged } = await startServedCopies();
afterAll(() => world.stop());

test.each([
  ["rows of matches in the file", ["match"], false],
  ["rows of matches in the WAL", ["match"], true],
  ["entries of players in the file", ["player entry"], false],
  ["an index in the WAL", ["listed match"], true],
] as [string, Stored[], boolean][])(
  "overwritten bytes of %s are noticed, and nothing wrong is served",
  async (_what, stored, withWal) => {
    const random = new Chance(1, stored.length);
    // So many that hardly all of them can be where no request looks.
    const summary = await damaged(1, withWal, (path) => flipSome(path, stored, 12, random));
    expect(summary).toMatchObject({ wrong: [], harmless: 0 });
  },
);
