/**
 * Prunes a shard: removes the records that are older than a cutoff. The cutoff is set first, and from then on no reader
 * returns these matches and ingest accepts none of them. They are then removed in small transactions, oldest first; what
 * players have reached with them is kept as their base. A prune that was interrupted is continued by the next one.
 */

import { countChange, dependencies, entry, type Known, recall } from "../ingest/commit-batch.ts";
import { keepPruned, updateDerived } from "../ingest/derived.ts";
import { foldIntoBases } from "../ingest/update-players.ts";
import type { Transaction, Writer } from "../store/store.ts";

/** Records per transaction. */
const STEP = 200;

export interface Pruned {
  /** Records that were created before it are removed. */
  cutoff: number;
  served: number;
  withheld: number;
}

export interface PruneOptions {
  /** Records per transaction. */
  step?: number;
  /** The pause after each transaction, as a multiple of the time it took: other writers get their turn. */
  rest?: number;
  /** Called after each transaction. */
  onStep?(soFar: Pruned): void;
  /** Aborting it ends the prune after the current transaction. */
  signal?: AbortSignal;
}

/** Sets the cutoff, unless the shard has a later one, and removes everything that is older. */
export async function prune(
  writer: Writer,
  before: number,
  { step = STEP, rest = 1, onStep, signal }: PruneOptions = {},
): Promise<Pruned> {
  const cutoff = await writer.write((transaction) => advanceCutoff(transaction, before));
  const pruned: Pruned = { cutoff, served: 0, withheld: 0 };
  while (!signal?.aborted) {
    const began = performance.now();
    const removed = await writer.write((transaction) => removeOldest(transaction, step));
    pruned.served += removed.served;
    pruned.withheld += removed.withheld;
    onStep?.(pruned);
    if (removed.served + removed.withheld < step) break;
    await Bun.sleep(rest * (performance.now() - began));
  }
  return pruned;
}

async function advanceCutoff(transaction: Transaction, before: number): Promise<number> {
  const present = await transaction.prunedBefore();
  if (present !== undefined && present >= before) return present;
  await transaction.setPrunedBefore(before);
  return before;
}

/** Removes records that are older than the cutoff, which must be set: at most `limit`. */
export async function removeOldest(
  transaction: Transaction,
  limit: number,
): Promise<Pick<Pruned, "served" | "withheld">> {
  const cutoff = (await transaction.prunedBefore())!;
  const records = (await transaction.older(cutoff, limit)).map(recall);
  const served = records.filter(({ fate }) => fate.state === "served");
  const withheld = records.filter(({ fate }) => fate.state === "withheld");

  const newestBefore = await transaction.newestServed();
  await transaction.removeServed(served.map(entry));
  await updateDerived(transaction, { came: [], left: served, newestBefore }, false);
  await keepPruned(transaction, served);
  await transaction.removeWithheld(withheld.map(({ outline }) => outline.id));
  await transaction.removeDependents(records.flatMap(({ outline }) => dependencies(outline)));
  await transaction.changeVocabulary(countChange([], served, ({ words }) => words));
  // The evidence itself stays: players remain ranked.
  const evidence = countChange(records, [], ({ shownRanked }) => shownRanked);
  await foldIntoBases(transaction, served, evidence);
  await removeTeamsWithoutMatches(transaction, served);
  return { served: served.length, withheld: withheld.length };
}

async function removeTeamsWithoutMatches(
  transaction: Transaction,
  removed: readonly Known[],
): Promise<void> {
  const gone: string[] = [];
  const named = removed.flatMap(({ outline }) => outline.teams.map(({ id }) => id));
  for (const id of new Set(named)) {
    if ((await transaction.latestOfTeam(id)) === undefined) gone.push(id);
  }
  await transaction.removeTeams(gone);
}
