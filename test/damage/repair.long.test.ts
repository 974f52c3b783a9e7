/**
 * Repairs copies of a shard with overwritten bytes: together with the records that are sent again, each is what it was.
 * DAMAGED_COPIES sets how many copies there are.
 */

import { afterAll, expect, test } from "bun:test";
import { closeSync, openSync, statSync, writeSync } from "node:fs";
import { Chance } from "../support/chance.ts";
import { overwritePage } from "../support/engine-sqlite.ts";
import { ingestAt } from "../support/places.ts";
import { aShardToDamage, repair, stateOf } from "../support/repair.ts";
import { costly } from "../support/scale.ts";
import { damageIn } from "../support/verify.ts";
import { aFolder } from "../support/world.ts";

const COPIES = Number(process.env.DAMAGED_COPIES ?? costly(20, 2));
const SEED = Number(process.env.DAMAGE_SEED ?? 1);

const folder = aFolder();
afterAll(() => folder.remove());
const shard = await aShardToDamage(folder.path, 60);
const pages = statSync(shard.original).size / 8192;

/** After the header of the file, which says what kind of file it is. */
const FIRST_BYTE = 100;

function overwriteBytes(path: string, bytes: number, random: Chance): void {
  const file = openSync(path, "r+");
  for (let count = 0; count < bytes; count++) {
    const at = random.between(FIRST_BYTE, statSync(path).size - 1);
    writeSync(file, Uint8Array.of(random.between(0, 255)), 0, 1, at);
  }
  closeSync(file);
}

const DAMAGE = {
  "40 bytes": (path: string, random: Chance) => overwriteBytes(path, 40, random),
  "3 pages": (path: string, random: Chance) => {
    for (let count = 0; count < 3; count++) overwritePage(path, random.between(1, pages));
  },
};

test.each(Object.entries(DAMAGE))(
  "with %s overwritten, what is not lost and what is sent again are the shard as it was",
  async (_, damage) => {
    const random = new Chance(SEED, 0);
    let harmed = 0;
    for (let at = 0; at < COPIES; at++) {
      const { data, path } = shard.copy();
      damage(path, random);
      if ((await damageIn(path, false)).length > 0) harmed += 1;
      const { exitCode, report, stderr } = await repair(data);
      const what = `copy ${at}: ${stderr}`;
      expect([0, 1, 3], what).toContain(exitCode);
      // SQLite cannot read anything of it: a backup is the only way.
      if (exitCode === 1) {
        expect(what).toContain("from a backup");
        continue;
      }
      if (exitCode === 0) expect(report.records, what).toBe(shard.lines.length);
      await ingestAt(data, shard.lines);
      expect(await stateOf(data), what).toEqual(shard.state);
    }
    expect(harmed).toBePositive();
  },
  3_600_000,
);
