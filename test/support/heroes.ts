/** The stored statistics of heroes. */

import type { HeroTotals } from "../../src/features/heroes/statistics.ts";
import { changeTotals, HERO_STATS, totalsOf } from "../../src/features/heroes/stored.ts";
import type { StoredRow, StoredState, Transaction } from "../../src/store/store.ts";

/** Of the stored matches, or of the pruned ones; in the order of their keys. */
export async function heroTotals(
  state: Pick<StoredState, "rows">,
  isPruned: boolean,
): Promise<HeroTotals[]> {
  const rows = await state.rows(HERO_STATS, { after: undefined, limit: 10_000 });
  return heroRows(rows).filter((one) => (one.is_pruned === 1) === isPruned);
}

export const heroRows = (rows: readonly StoredRow[]): HeroTotals[] =>
  rows.map((row) => totalsOf(row as Parameters<typeof totalsOf>[0]));

export const changeHeroes = (transaction: Transaction, changes: HeroTotals[]) =>
  transaction.run(() => changeTotals(changes));
