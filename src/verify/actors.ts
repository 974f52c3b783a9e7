/** Verifies the statistics of actors against those of the records. What pruned matches left behind cannot be rebuilt. */

import { ActorTally, type ActorTotals, areSameSums, NOTHING } from "../domain/actors.ts";
import { actorLabel, actorRowKey } from "../store/core/actors.ts";
import type { ShardRecord, StoredState } from "../store/store.ts";
import { ACTOR_STATS } from "../store/tables.ts";
import type { Context } from "./context.ts";
import { outlinesOf } from "./decode.ts";
import type { Expected } from "./expected.ts";

export async function verifyActors(context: Context, expected: Expected): Promise<void> {
  const { step, rows } = context;
  let isDoubtful = false;
  let after: ActorTotals | undefined;
  let stored = 0;
  for (let isOver = false; !isOver && !isDoubtful; ) {
    await step(async (state) => {
      const totals = await state.actorTotals(false, after, rows);
      for (const one of totals) {
        const counted = expected.actors.get(actorRowKey(one));
        if (!counted || !areSameSums(one, counted)) isDoubtful = true;
      }
      after = totals.at(-1);
      stored += totals.length;
      isOver = totals.length < rows;
      return totals.length;
    });
  }
  if (isDoubtful || stored !== sizeOf(expected, rows)) await countAgain(context);
}

function sizeOf({ actors }: Expected, rows: number): number {
  let size = 0;
  for (let after = ""; ; ) {
    const page = actors.page(after, rows);
    size += page.length;
    if (page.length < rows) return size;
    after = page.at(-1)![0];
  }
}

const RECORDS_AT_A_TIME = 100;

/** In one state: something may have been written since the records were read. */
async function countAgain({ note, survey }: Context): Promise<void> {
  await survey(async (state) => {
    // While it is built, the table has some of the matches.
    if ((await state.unbuilt()).includes(ACTOR_STATS.name)) return;
    const tally = new ActorTally();
    for await (const { outline } of servedIn(state)) tally.add(outline, 1);
    const counted = new Map(tally.totals().map((one) => [actorRowKey(one), one]));
    const compare = (found: ActorTotals | undefined, right: ActorTotals | undefined) => {
      const [is, shouldBe] = [found ?? NOTHING, right ?? NOTHING];
      if (areSameSums(is, shouldBe)) return;
      const label = actorLabel((found ?? right)!);
      note(
        "actor_stats",
        label,
        `the statistics of ${label} count ${is.picks} (${is.wins} won) instead of ${shouldBe.picks} (${shouldBe.wins} won), or add up other stats: /actors is wrong`,
      );
    };
    let after: ActorTotals | undefined;
    for (let isOver = false; !isOver; ) {
      const totals = await state.actorTotals(false, after, RECORDS_AT_A_TIME);
      for (const one of totals) {
        const key = actorRowKey(one);
        compare(one, counted.get(key));
        counted.delete(key);
      }
      after = totals.at(-1);
      isOver = totals.length < RECORDS_AT_A_TIME;
    }
    for (const right of counted.values()) compare(undefined, right);
  });
}

async function* servedIn(state: StoredState) {
  let last: ShardRecord | undefined;
  for (;;) {
    const batch = await state.records(last, RECORDS_AT_A_TIME);
    const served = batch.filter(({ fate }) => fate.state === "served");
    for (const outline of outlinesOf(served)) yield { outline };
    if (served.length < RECORDS_AT_A_TIME) return;
    last = batch.at(-1);
  }
}
