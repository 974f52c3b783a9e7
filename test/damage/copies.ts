/** Copies of a small shard to damage, one by one, and what is then served and found. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Chance } from "../support/chance.ts";
import { flip, type Stored, settle, usedBytes } from "../support/engine-sqlite.ts";
import { TestClock } from "../support/keys.ts";
import { damageIn, verified } from "../support/verify.ts";
import { startWorld } from "../support/world.ts";
import { askEverything, RECORDS, recordsOf, truthOf } from "./asking.ts";

export async function startDamagedCopies() {
  // All records are in the last 28 days.
  const clock = new TestClock("2026-01-20T00:00:00Z");
  // Every copy has matches of its own, which would count for the quota.
  const world = await startWorld(RECORDS, { "matches-per-day": "0" }, clock);
  const truth = await truthOf(world, "na");
  const fileOf = (shard: string) => join(world.data, `${shard}.db`);
  const ask = (shard: string) => askEverything(world, clock, truth, shard);
  let made = 0;
  /** The same records as another shard, in a file of its own. */
  const newShard = async (): Promise<string> => {
    const shard = `copy-${made++}`;
    await world.ingest(recordsOf(shard));
    settle(fileOf(shard));
    return shard;
  };

  /** Damages copies one by one. Returns what was seen, with the wrong responses. */
  const damaged = async (copies: number, harm: (path: string, copy: number) => unknown) => {
    const summary = {
      wrong: [] as string[],
      detected: 0,
      omissions: 0,
      harmless: 0,
      /** Copies that are served otherwise than the original, and verify does not find it. */
      unverified: [] as string[],
    };
    for (let copy = 0; copy < copies; copy++) {
      const shard = await newShard();
      await harm(fileOf(shard), copy);
      const found = await ask(shard);
      summary.wrong.push(...found.wrong.map((path) => `copy ${copy}: ${path}`));
      const verdict =
        found.detected.length > 0
          ? "detected"
          : found.omission.length > 0
            ? "omissions"
            : "harmless";
      summary[verdict] += 1;
      if (verdict !== "harmless" && (await verified(world.settings, shard)).state === "clean") {
        summary.unverified.push(`copy ${copy}: ${[...found.detected, ...found.omission]}`);
      }
    }
    return summary;
  };
  return { world, truth, fileOf, ask, newShard, damaged };
}

export const hasDamage = async (path: string): Promise<boolean> =>
  (await damageIn(path, false)).length > 0;

/** Gives this many random bytes of these rows and indexes other values. */
export function flipSome(
  path: string,
  stored: readonly Stored[],
  bytes: number,
  random: Chance,
): void {
  const places = usedBytes(path, ...stored);
  for (let count = 0; count < bytes; count++) {
    flip(places[random.between(0, places.length - 1)]!, random.between(1, 255));
  }
}

/** The same anywhere in the file, also in its header and schema, but not in free space, which has zeros. */
export function flipAnywhere(path: string, bytes: number, random: Chance): void {
  const content = readFileSync(path);
  for (let count = 0; count < bytes; ) {
    const at = random.between(0, content.length - 1);
    if (content[at] === 0) continue;
    flip({ file: path, at }, random.between(1, 255));
    count += 1;
  }
}
