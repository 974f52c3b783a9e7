/** Updates the statistics of actors when served matches are added, removed or pruned. */

import { ActorTally, type ActorTotals } from "../domain/actors.ts";
import { actorRowKey } from "../store/core/actors.ts";
import type { Transaction } from "../store/store.ts";
import type { StoredRecord } from "./prepare.ts";

export async function countActors(
  transaction: Transaction,
  came: readonly StoredRecord[],
  left: readonly StoredRecord[],
): Promise<void> {
  const tally = new ActorTally();
  for (const { outline } of came) tally.add(outline, 1);
  for (const { outline } of left) tally.add(outline, -1);
  await transaction.changeActorTotals(tally.totals());
}

/** Pruned matches go on counting. */
export async function addPruned(
  transaction: Transaction,
  served: readonly StoredRecord[],
): Promise<void> {
  const tally = new ActorTally();
  for (const { outline } of served) tally.add(outline, 1, true);
  await transaction.changeActorTotals(tally.totals());
}

/** Adds what pruned matches left behind in another shard, before any record. Rows that are there stay. */
export async function addPrunedTotals(
  transaction: Transaction,
  given: readonly ActorTotals[],
): Promise<void> {
  const there = new Set((await transaction.actorTotalsOf([...given])).map(actorRowKey));
  const added = new Map<string, ActorTotals>();
  for (const one of given) {
    const key = actorRowKey(one);
    if (!there.has(key)) added.set(key, one);
  }
  await transaction.changeActorTotals([...added.values()]);
}
