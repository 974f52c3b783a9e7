/**
 * Counts the ranked matches of players whom an earlier version has stored, for the leaderboards: a few players in each
 * transaction. Ingest leaves the counts of the others alone, so that the build can be interrupted at any time.
 */

import { type RankedTally, recentDays } from "../domain/leaderboards.ts";
import type { Standing, Transaction } from "../store/store.ts";
import { putStandings } from "./update-players.ts";

/** Counts for the next players. Returns how many; fewer than `limit` only at the end. */
export async function countNextPlayers(transaction: Transaction, limit: number): Promise<number> {
  const ids = await transaction.uncountedPlayers(limit);
  if (ids.length === 0) return 0;
  const standings = await transaction.standings(ids);
  const bases = await transaction.basesOf(ids);
  const ever = await transaction.rankedOf(ids, Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER);
  const counted = new Map<string, Standing>();
  for (const [id, { totals, ...rest }] of standings) {
    const pruned = bases.get(id)?.standing?.totals.rankedWins ?? 0;
    const rankedWins = pruned + (ever.get(id)?.wins ?? 0);
    counted.set(id, { ...rest, totals: { ...totals, rankedWins } });
  }
  await transaction.changeRecent(await recentOf(transaction, ids));
  await putStandings(transaction, counted, bases);
  return ids.length;
}

async function recentOf(
  transaction: Transaction,
  ids: string[],
): Promise<ReadonlyMap<string, RankedTally>> {
  const newest = await transaction.newestServed();
  if (newest === undefined) return new Map();
  const { start, end } = recentDays(newest);
  return transaction.rankedOf(ids, start, end);
}
