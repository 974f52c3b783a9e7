/** Overwrites bytes of shards while they are served, one copy after the other: what is served then, and what verify finds. */

import { expect } from "bun:test";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Chance } from "../support/chance.ts";
import { commitNothing, flip, type Stored, settle, usedBytes } from "../support/engine-sqlite.ts";
import { recordsOf } from "./asking.ts";
import type { Place } from "./places.ts";

export const fileOf = ({ world }: Place, shard: string): string => join(world.data, `${shard}.db`);

/**
 * Damages copies, with a WAL or, after a checkpoint, without, and asks everything: first while SQLite has pages in its
 * cache, then after a commit, which makes it read them again.
 */
export async function overwrite(
  place: Place,
  copies: number,
  harm: (path: string) => unknown,
  withWal = false,
) {
  const summary = {
    /** Which copies responded wrongly, and to what. */
    wrong: [] as string[],
    detected: 0,
    omissions: 0,
    harmless: 0,
    /** Copies that are served otherwise than the original, and verify does not find it. */
    unverified: [] as string[],
  };
  for (let copy = 0; copy < copies; copy++) {
    const one = await place.aShard((records) => records.slice(0, 6));
    const path = fileOf(place, one.name);
    // The server opens the file, so that the others stay in the WAL.
    expect((await place.world.get(`/shards/${one.name}/players`)).status).toBe(200);
    await place.world.ingest(recordsOf(one.name).slice(6));
    expect(statSync(`${path}-wal`).size).toBePositive();
    if (!withWal) settle(path);
    expect((await one.ask()).right.length).toBe(place.questions);
    await harm(path);
    const cached = await one.ask();
    commitNothing(path);
    const found = await one.ask();
    summary.wrong.push(
      ...[...cached.wrong, ...found.wrong].map((question) => `copy ${copy}: ${question}`),
    );
    const [detected, omitted] = (["detected", "omission"] as const).map((verdict) => [
      ...cached[verdict],
      ...found[verdict],
    ]) as [string[], string[]];
    if (detected.length > 0) summary.detected += 1;
    else if (omitted.length > 0) summary.omissions += 1;
    else summary.harmless += 1;
    // SQLite takes the rest of a damaged WAL for a transaction that was never completed.
    if (withWal || detected.length + omitted.length === 0) continue;
    if ((await one.verify()).state === "clean") {
      summary.unverified.push(`copy ${copy}: ${[...detected, ...omitted]}`);
    }
  }
  return summary;
}

/** Gives this many random bytes of these rows and indexes other values. */
export function flipSome(
  path: string,
  stored: readonly Stored[],
  bytes: number,
  random: Chance,
): void {
  const places = usedBytes(path, ...stored);
  for (let count = 0; count < bytes; count++) flip(random.pick(places), random.between(1, 255));
}

/** The same anywhere in the file, also in its header and schema, but not in free space, which has zeros. */
export function flipAnywhere(path: string, random: Chance): void {
  const content = readFileSync(path);
  let at = 0;
  while (content[at] === 0 || at === 0) at = random.below(content.length);
  flip({ file: path, at }, random.between(1, 255));
}
