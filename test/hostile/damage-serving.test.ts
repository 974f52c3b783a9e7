/**
 * Overwrites bytes of shards while they are served: no response has a wrong value or another record's data.
 * DAMAGED_COPIES sets how many copies there are.
 */

import { Database } from "bun:sqlite";
import { afterAll, expect, test } from "bun:test";
import { closeSync, openSync, statSync, writeSync } from "node:fs";
import { join } from "node:path";
import { Random } from "../../src/demo/random.ts";
import { FORMAT } from "../../src/store/sqlite/schema.ts";
import { TestClock } from "../support/keys.ts";
import { scaled } from "../support/scale.ts";
import { startWorld } from "../support/world.ts";
import { askEverything, QUESTIONS, RECORDS, recordsOf, truthOf } from "./damage.ts";

const COPIES = Number(process.env.DAMAGED_COPIES ?? scaled(20));
const SEED = Number(process.env.DAMAGE_SEED ?? 1);

const clock = new TestClock();
const world = await startWorld(RECORDS, {}, clock);
afterAll(() => world.stop());
const truth = await truthOf(world, "na");
const ask = (shard: string) => askEverything(world, clock, truth, shard);

let made = 0;
const fileOf = (shard: string) => join(world.data, `${shard}.db`);

/**
 * Makes the same shard again, with a WAL or, after a checkpoint, without; serves it; overwrites bytes, and asks everything
 * again: first while SQLite has pages in its cache, then after a commit, which makes it read them again.
 */
async function damaged(copies: number, bytes: number, withWal: boolean) {
  const random = new Random(SEED, bytes, withWal ? 1 : 0);
  const summary = { wrong: [] as string[], detected: 0, omissions: 0, harmless: 0 };
  for (let copy = 0; copy < copies; copy++) {
    const shard = `copy-${made++}`;
    const path = fileOf(shard);
    const records = recordsOf(shard);
    await world.ingest(records.slice(0, 6));
    // The server opens the file, so that the others stay in the WAL.
    expect((await world.get(`/shards/${shard}/players`)).status).toBe(200);
    await world.ingest(records.slice(6));
    expect(statSync(`${path}-wal`).size).toBePositive();
    if (!withWal) commit(path, "PRAGMA wal_checkpoint(TRUNCATE)");
    expect((await ask(shard)).right.length).toBe(QUESTIONS);
    overwrite(withWal && copy % 2 === 0 ? `${path}-wal` : path, bytes, random);
    const cached = await ask(shard);
    commit(path, `PRAGMA user_version = ${FORMAT}`);
    const found = await ask(shard);
    const wrong = [...cached.wrong, ...found.wrong];
    summary.wrong.push(...wrong.map((question) => `copy ${copy}: ${question}`));
    if (cached.detected.length + found.detected.length > 0) summary.detected += 1;
    else if (cached.omission.length + found.omission.length > 0) summary.omissions += 1;
    else summary.harmless += 1;
  }
  return summary;
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

/** A write that changes nothing. A damaged file may refuse it. */
function commit(path: string, sql: string): void {
  let database: Database | undefined;
  try {
    database = new Database(path);
    database.run(sql);
  } catch {
    // Then nothing is written, and SQLite keeps its cache.
  } finally {
    database?.close();
  }
}

test.each([
  [1, "of the file", false],
  [5, "of the file", false],
  [1, "of the file or its WAL", true],
  [5, "of the file or its WAL", true],
] as const)(
  "with %d bytes %s overwritten, nothing wrong is served",
  async (bytes, _where, withWal) => {
    const copies = bytes === 1 ? COPIES : Math.ceil(COPIES / 5);
    const summary = await damaged(copies, bytes, withWal);
    if (process.env.DAMAGED_COPIES) console.log(bytes, withWal, summary);
    expect(summary.wrong).toEqual([]);
  },
  7_200_000,
);
