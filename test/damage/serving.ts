/** Damages shards while they are served. */

import { expect } from "bun:test";
import { statSync } from "node:fs";
import { join } from "node:path";
import { commitNothing, settle } from "../support/engine-sqlite.ts";
import { TestClock } from "../support/keys.ts";
import { startWorld } from "../support/world.ts";
import { askEverything, QUESTIONS, RECORDS, recordsOf, truthOf } from "./asking.ts";

export async function startServedCopies() {
  const clock = new TestClock();
  // Every copy has matches of its own, which would count for the quota.
  const world = await startWorld(RECORDS, { "matches-per-day": "0" }, clock);
  const truth = await truthOf(world, "na");
  const ask = (shard: string) => askEverything(world, clock, truth, shard);
  let made = 0;

  /**
   * Makes the same shard again, with a WAL or, after a checkpoint, without; serves it; damages it, and asks everything
   * again: first while SQLite has pages in its cache, then after a commit, which makes it read them again.
   */
  const damaged = async (copies: number, withWal: boolean, harm: (path: string) => unknown) => {
    const summary = { wrong: [] as string[], detected: 0, omissions: 0, harmless: 0 };
    for (let copy = 0; copy < copies; copy++) {
      const shard = `copy-${made++}`;
      const path = join(world.data, `${shard}.db`);
      const records = recordsOf(shard);
      await world.ingest(records.slice(0, 6));
      // The server opens the file, so that the others stay in the WAL.
      expect((await world.get(`/shards/${shard}/players`)).status).toBe(200);
      await world.ingest(records.slice(6));
      expect(statSync(`${path}-wal`).size).toBePositive();
      if (!withWal) settle(path);
      expect((await ask(shard)).right.length).toBe(QUESTIONS);
      await harm(path);
      const cached = await ask(shard);
      commitNothing(path);
      const found = await ask(shard);
      const wrong = [...cached.wrong, ...found.wrong];
      summary.wrong.push(...wrong.map((question) => `copy ${copy}: ${question}`));
      if (cached.detected.length + found.detected.length > 0) summary.detected += 1;
      else if (cached.omission.length + found.omission.length > 0) summary.omissions += 1;
      else summary.harmless += 1;
    }
    return summary;
  };
  return { world, damaged };
}
