/**
 * Tests copies of a shard with overwritten bytes: no response has a wrong value or another record's data, where
 * something is missing, the check for damage finds it, and whatever changes a response, verify finds.
 * DAMAGED_COPIES sets how many copies there are.
 */

import { afterAll, describe, expect, test } from "bun:test";
import { closeSync, openSync, statSync, writeSync } from "node:fs";
import { join } from "node:path";
import { Random } from "../../src/demo/random.ts";
import { StoreError } from "../../src/store/store.ts";
import { damageIn } from "../support/check.ts";
import { inflict, type NewValues, type RowDamage, withOtherPlayer } from "../support/engine.ts";
import {
  dropLastEntry,
  emptyFirstEntry,
  type Index,
  indexBytes,
  settle,
  sqliteRows,
} from "../support/engine-sqlite.ts";
import { TestClock } from "../support/keys.ts";
import { scaled } from "../support/scale.ts";
import { verified } from "../support/verify.ts";
import { startWorld } from "../support/world.ts";
import { askEverything, QUESTIONS, RECORDS, recordsOf, truthOf } from "./damage.ts";

const COPIES = Number(process.env.DAMAGED_COPIES ?? scaled(60));
const SEED = Number(process.env.DAMAGE_SEED ?? 1);

// The server's own check would find some copies before they are asked.
const NEVER = { pauseMs: 2 ** 30 };
// All records are in the last 28 days.
const clock = new TestClock("2026-01-20T00:00:00Z");
const world = await startWorld(RECORDS, {}, clock, "", NEVER);
afterAll(() => world.stop());
const original = join(world.data, "na.db");
settle(original);
const truth = await truthOf(world, "na");

let made = 0;
/** The same records as another shard, in a file of its own. */
async function newShard(): Promise<string> {
  const shard = `copy-${made++}`;
  await world.ingest(recordsOf(shard));
  return shard;
}
const fileOf = (shard: string) => join(world.data, `${shard}.db`);

const ask = (shard: string) => askEverything(world, clock, truth, shard);

/** Damages copies one by one. Returns what was seen, with the wrong responses. */
async function damaged(copies: number, harm: (path: string, copy: number) => unknown) {
  const summary = {
    wrong: [] as string[],
    detected: 0,
    omissions: 0,
    harmless: 0,
    /** Copies from which something is missing, and the check does not find it. */
    overlooked: [] as string[],
    /** Copies that are served otherwise than the original, and verify does not find it. */
    unverified: [] as string[],
    /** Copies for which the check reports damage, of those that were judged so. */
    found: { detected: 0, omissions: 0, harmless: 0 },
    checkMs: 0,
  };
  for (let copy = 0; copy < copies; copy++) {
    const shard = await newShard();
    await harm(fileOf(shard), copy);
    const found = await ask(shard);
    summary.wrong.push(...found.wrong.map((path) => `copy ${copy}: ${path}`));
    const verdict =
      found.detected.length > 0 ? "detected" : found.omission.length > 0 ? "omissions" : "harmless";
    summary[verdict] += 1;
    const began = performance.now();
    const isFound = await hasDamage(fileOf(shard));
    summary.checkMs += performance.now() - began;
    if (verdict !== "harmless" && (await verified(world.settings, shard)).state === "clean") {
      summary.unverified.push(`copy ${copy}: ${[...found.detected, ...found.omission]}`);
    }
    if (isFound) summary.found[verdict] += 1;
    else if (verdict === "omissions") summary.overlooked.push(`copy ${copy}: ${found.omission}`);
  }
  summary.checkMs = Math.round(summary.checkMs / copies);
  return summary;
}

/** A file that cannot be opened is damaged too. */
async function hasDamage(path: string): Promise<boolean> {
  try {
    return (await damageIn(path)).length > 0;
  } catch (error) {
    if (error instanceof StoreError) return true;
    throw error;
  }
}

/** Overwrites this many bytes at random places. */
function overwrite(path: string, bytes: number, random: Random): void {
  const { size } = statSync(path);
  const file = openSync(path, "r+");
  for (let count = 0; count < bytes; count++) {
    writeSync(file, Uint8Array.of(random.int(0, 255)), 0, 1, random.int(0, size - 1));
  }
  closeSync(file);
}

test("the questions have answers", async () => {
  expect(truth.lists.get("")!.length).toBe(10);
  expect((await ask("na")).right.length).toBe(QUESTIONS);
  for (const path of ["actors", "leaderboards/ranked-wins", "players/player-1/company"]) {
    expect((await world.get(`/shards/na/${path}`)).body.data).not.toEqual([]);
  }
});

test.each([1, 5])(
  "with %d bytes overwritten, nothing wrong is served",
  async (bytes) => {
    const random = new Random(SEED, bytes);
    const summary = await damaged(bytes === 1 ? COPIES : Math.ceil(COPIES / 5), (path) =>
      overwrite(path, bytes, random),
    );
    if (process.env.DAMAGED_COPIES) console.log(bytes, summary);
    expect(summary.wrong).toEqual([]);
    expect(summary.overlooked).toEqual([]);
    expect(summary.unverified).toEqual([]);
  },
  3_600_000,
);

test("with a byte of an index overwritten, nothing wrong is served, and what is missing is found", async () => {
  const random = new Random(SEED, 0);
  const ranges = indexBytes(original);
  const summary = await damaged(Math.ceil(COPIES / 2), (path) => {
    const [first, end] = ranges[random.int(0, ranges.length - 1)]!;
    const file = openSync(path, "r+");
    writeSync(file, Uint8Array.of(random.int(0, 255)), 0, 1, random.int(first, end - 1));
    closeSync(file);
  });
  if (process.env.DAMAGED_COPIES) console.log("index", summary);
  expect(summary.wrong).toEqual([]);
  expect(summary.overlooked).toEqual([]);
  expect(summary.unverified).toEqual([]);
}, 3_600_000);

test("an index entry whose values are gone is damage, not an error of the server", async () => {
  const shard = await newShard();
  emptyFirstEntry(fileOf(shard), "players by last match");
  const { status, body } = await world.get(`/shards/${shard}/players`);
  expect([status, body.errors[0].code]).toEqual([503, "damaged-data"]);
  expect(await damageIn(fileOf(shard))).not.toEqual([]);
});

describe("one value changed:", () => {
  const later =
    (by: number): NewValues =>
    ({ createdAt }) => ({ createdAt: createdAt + by });
  const CASES: [what: string, damage: (copy: number) => RowDamage][] = [
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
      () => ({ change: "match", which: { number: 3 }, to: { id: "match-zz" } }),
    ],
    [
      "the time of a match",
      (copy) => ({ change: "match", which: { number: 4 }, to: later(copy + 1) }),
    ],
    [
      "the mode of a match",
      () => ({ change: "match", which: { mode: "casual" }, to: { mode: "ranked" } }),
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
  const TARGETED = Math.max(2, Math.ceil(COPIES / 25));

  test.each(CASES)(
    "%s",
    async (_what, damage) => {
      const summary = await damaged(TARGETED, (path, copy) =>
        inflict(sqliteRows(path), damage(copy)),
      );
      expect(summary.wrong).toEqual([]);
      expect(summary.harmless).toBe(0);
      expect(summary.overlooked).toEqual([]);
      expect(summary.unverified).toEqual([]);
    },
    600_000,
  );
});

describe("entries missing, which most requests cannot see:", () => {
  const INDEXES: [table: string, index: Index][] = [
    ["matches", "matches by id"],
    ["matches", "matches by time"],
    ["matches", "matches by mode"],
    ["matches", "matches by patch"],
    ["players", "players by id"],
    ["players", "players by name"],
    ["players", "players by last match"],
    ["teams", "teams by name"],
  ];
  const CASES: [from: string, harm: (path: string) => void, found: string][] = [
    [
      "the matches of a player",
      (path) => sqliteRows(path).remove("player entry", { player: "player-1", match: "match-01" }),
      "player_matches match-01",
    ],
    [
      "the matches of a team",
      (path) => sqliteRows(path).remove("team entry", { match: "match-02" }),
      "team_matches match-02",
    ],
    [
      "the name index",
      (path) => sqliteRows(path).remove("name entry", { key: "=uma" }),
      "name_index player-5",
    ],
    ...INDEXES.map(([table, index]): (typeof CASES)[number] => [
      index,
      (path) => dropLastEntry(path, index),
      `${table} `,
    ]),
  ];

  test.each(CASES)("%s", async (_from, harm, found) => {
    const shard = await newShard();
    harm(fileOf(shard));
    expect((await ask(shard)).wrong).toEqual([]);
    expect((await damageIn(fileOf(shard)))[0]).toStartWith(found);
    const { touch } = sqliteRows(fileOf(shard));
    expect((await damageIn(fileOf(shard), 500, touch))[0]).toStartWith(found);
  });
});
