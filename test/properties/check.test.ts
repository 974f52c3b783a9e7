/** The check for damage never reports a shard that is only being written to. */

import { expect, test } from "bun:test";
import { join } from "node:path";
import fc from "fast-check";
import { damageIn } from "../support/check.ts";
import { pruneAt } from "../support/prune.ts";
import type { MatchDocument } from "../support/records.ts";
import { scaled } from "../support/scale.ts";
import { worldOf } from "./asking.ts";
import { history, SHARD } from "./histories.ts";

const scenario = fc.record({
  before: history,
  // The same ids with other content: replacing them adds, changes and removes matches, players, teams and names.
  meanwhile: fc.tuple(history, history).map((histories) => histories.flat()),
  batch: fc.integer({ min: 1, max: 4 }),
  limit: fc.integer({ min: 1, max: 9 }),
  /** How many steps there are between two writes. */
  stepsBetween: fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 6 }),
});

test("records that are added, replaced, withheld and pruned between the steps are not damage", async () => {
  const isFoundWhole = fc.asyncProperty(scenario, async (given) => {
    const world = await worldOf(given.before);
    const path = join(world.data, `${SHARD}.db`);
    const replace = (documents: MatchDocument[]) => world.ingest(documents, { replace: true });
    try {
      const waiting = [...given.meanwhile];
      let step = 0;
      let writes = 0;
      const meanwhile = async () => {
        step += 1;
        if (step < given.stepsBetween[writes % given.stepsBetween.length]!) return;
        step = 0;
        writes += 1;
        await replace(waiting.splice(0, given.batch));
      };
      expect(await damageIn(path, given.limit, meanwhile)).toEqual([]);
      await replace(waiting);
      const pruning = pruneAt(world.settings, SHARD, Date.parse("2024-05-01T00:00:00Z"), 1);
      expect(await damageIn(path, given.limit, () => Bun.sleep(0))).toEqual([]);
      await pruning;
      // Without writes, the rows are also counted.
      expect(await damageIn(path, given.limit)).toEqual([]);
    } finally {
      await world.stop();
    }
  });
  await fc.assert(isFoundWhole, { numRuns: scaled(20) });
}, 300_000);
