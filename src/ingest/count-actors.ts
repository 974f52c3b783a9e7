/**
 * Updates the statistics of actors when served matches are added, removed or pruned. While they are built for a shard of an
 * earlier version, only the matches up to the last one that is counted are in them.
 */

import { ActorTally, type ActorTotals } from "../domain/actors.ts";
import { actorRowKey } from "../store/actor-rows.ts";
import type { MatchKey, Transaction } from "../store/store.ts";
import { type Outline, restore, type StoredRecord } from "./prepare.ts";

export async function countActors(
  transaction: Transaction,
  came: readonly StoredRecord[],
  left: readonly StoredRecord[],
): Promise<void> {
  if (came.length + left.length === 0) return;
  const last = await transaction.lastCounted();
  const tally = new ActorTally();
  for (const { outline } of came) if (isCounted(outline, last)) tally.add(outline, 1);
  for (const { outline } of left) if (isCounted(outline, last)) tally.add(outline, -1);
  await transaction.changeActorTotals(tally.totals());
}

/** Pruned matches go on counting, whether or not they were counted before. */
export async function moveToPruned(
  transaction: Transaction,
  served: readonly StoredRecord[],
): Promise<void> {
  const last = await transaction.lastCounted();
  const tally = new ActorTally();
  for (const { outline } of served) {
    if (isCounted(outline, last)) tally.add(outline, -1);
    tally.add(outline, 1, true);
  }
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

/** Whether the statistics have a match, if they have all up to `last`. */
export const isCounted = (
  { createdAt, id }: Pick<Outline, "createdAt" | "id">,
  last: MatchKey | undefined,
): boolean =>
  last === undefined ||
  createdAt < last.createdAt ||
  (createdAt === last.createdAt && id <= last.id);

/** Counts the next matches of a shard of an earlier version. Returns how many; fewer than `limit` only at the end. */
export async function countNext(transaction: Transaction, limit: number): Promise<number> {
  const last = await transaction.lastCounted();
  if (last === undefined) return 0;
  const records = await transaction.records({ fate: { state: "served" }, match: last }, limit);
  const served = records.filter(({ fate }) => fate.state === "served");
  const tally = new ActorTally();
  for (const { match } of served) tally.add(restore(match).outline, 1);
  await transaction.changeActorTotals(tally.totals());
  await transaction.setLastCounted(served.length < limit ? undefined : served.at(-1)!.match);
  return served.length;
}
