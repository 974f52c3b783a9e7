/** In charge of going through all that a shard keeps, in steps that take a bounded share of memory. */

import type { Holdings, KeptRecord, NamedHolding } from "../store/store.ts";

/** Before anything is known of their size. */
const FIRST_STEP = 64;
/** As they are stored. Read and parsed, they take ten times as much. */
const STEP_BYTES = 8 * 1024 * 1024;

/** Every record: served ones in order, then withheld ones by id. */
export async function* recordSteps(
  holdings: Holdings,
  mostRecords: number,
): AsyncGenerator<KeptRecord[]> {
  let last: KeptRecord | undefined;
  let size = Math.min(FIRST_STEP, mostRecords);
  for (;;) {
    const step = await holdings.records(last, size);
    if (step.length > 0) yield step;
    if (step.length < size) return;
    last = step.at(-1);
    size = Math.min(mostRecords, fitting(step));
  }
}

/** How many records like these make a step. */
function fitting(step: readonly KeptRecord[]): number {
  const bytes = step.reduce((sum, { match }) => sum + match.sheet.length + match.carried.length, 0);
  return Math.max(1, Math.floor((STEP_BYTES * step.length) / bytes));
}

const NAMED_STEP = 500;

/** Every player, or every team, by id. */
export async function* namedSteps(
  holdings: Holdings,
  kind: "players" | "teams",
): AsyncGenerator<NamedHolding[]> {
  let last = "";
  for (;;) {
    const step = await holdings[kind](last, NAMED_STEP);
    if (step.length > 0) yield step;
    if (step.length < NAMED_STEP) return;
    last = step.at(-1)!.id;
  }
}
