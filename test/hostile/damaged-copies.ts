/** Copies of a small shard to damage, one by one, and what is then served and found. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Random } from "../../src/demo/random.ts";
import { type NewValues, type RowDamage, withOtherPlayer } from "../support/engine.ts";
import { flip, type Stored, settle, usedBytes } from "../support/engine-sqlite.ts";
import { TestClock } from "../support/keys.ts";
import { damageIn, verified } from "../support/verify.ts";
import { startWorld } from "../support/world.ts";
import { askEverything, RECORDS, recordsOf, truthOf } from "./damage.ts";

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
  random: Random,
): void {
  const places = usedBytes(path, ...stored);
  for (let count = 0; count < bytes; count++) {
    flip(places[random.int(0, places.length - 1)]!, random.int(1, 255));
  }
}

const later =
  (by: number): NewValues =>
  ({ createdAt }) => ({ createdAt: createdAt + by });
/** The same anywhere in the file, also in its header and schema, but not in free space, which has zeros. */
export function flipAnywhere(path: string, bytes: number, random: Random): void {
  const content = readFileSync(path);
  for (let count = 0; count < bytes; ) {
    const at = random.int(0, content.length - 1);
    if (content[at] === 0) continue;
    flip({ file: path, at }, random.int(1, 255));
    count += 1;
  }
}

/** Single values to change, in each copy of another row where that makes a difference. */
export const VALUES: [what: string, damage: (copy: number) => RowDamage][] = [
  [
    "a player number of a match",
    (copy) => ({
      change: "match",
      which: (_, at) => at === copy % 10,
      to: ({ document }) => ({ document: withOtherPlayer(document) }),
    }),
  ],
  [
    "the id of a match",
    () => ({ change: "match", which: { id: "match-03" }, to: { id: "match-zz" } }),
  ],
  [
    "the time of a listed match",
    (copy) => ({ change: "listed match", which: { id: "match-04" }, to: later(copy + 1) }),
  ],
  [
    "the mode of a listed match",
    () => ({ change: "listed match", which: { mode: "casual" }, to: { mode: "ranked" } }),
  ],
  [
    "the id of a player",
    () => ({ change: "player", which: { number: 2 }, to: { id: "player-zz" } }),
  ],
  [
    "the name of a player",
    (copy) => ({ change: "player", which: { number: (copy % 6) + 1 }, to: { name: "Zed" } }),
  ],
  [
    "the totals of a player",
    () => ({
      change: "player",
      to: ({ lastMatchAt }) => ({ lastMatchAt: lastMatchAt + 1 }),
    }),
  ],
  ["the name of a team", () => ({ change: "team", to: { name: "RED" } })],
  [
    "the match of an index entry",
    (copy) => ({
      change: "player entry",
      which: { player: "player-1" },
      to: { leadsTo: `match-0${copy % 10}` },
    }),
  ],
  [
    "the time of an index entry",
    () => ({ change: "player entry", which: { match: "match-04" }, to: later(7) }),
  ],
  [
    "the player of an index entry",
    () => ({
      change: "player entry",
      which: { player: "player-1" },
      to: { player: "player-2" },
    }),
  ],
  [
    "the result of an index entry",
    () => ({ change: "player entry", to: ({ result }) => ({ result: 2 - result }) }),
  ],
  [
    "the team of an index entry",
    () => ({
      change: "team entry",
      to: ({ team }) => ({ team: team === "team-0" ? "team-2" : "team-0" }),
    }),
  ],
  [
    "the name index",
    () => ({
      change: "name entry",
      which: ({ name }) => name.endsWith("da"),
      to: { name: "Zed" },
    }),
  ],
];
