/** Updates the statistics when served matches are added, removed or pruned. */

import type { Transaction } from "../../store/store.ts";
import type { DerivedChange, Outlined } from "../feature.ts";
import { addUp, type HeroPart } from "./statistics.ts";
import { changeTotals } from "./stored.ts";

/** The member of an outline that has what a match adds. */
export const HEROES = "heroes";

const changed = (records: readonly Outlined[], times: 1 | -1) =>
  records.map(({ outline: { gameMode, patchVersion, parts } }) => {
    return [{ gameMode, patchVersion, heroes: parts[HEROES] as HeroPart[] }, times] as const;
  });

export async function countHeroes(
  transaction: Transaction,
  { came, left }: DerivedChange,
): Promise<void> {
  const totals = addUp([...changed(came, 1), ...changed(left, -1)]);
  await transaction.run(() => changeTotals(totals));
}

/** Pruned matches go on counting. */
export async function keepPruned(
  transaction: Transaction,
  pruned: readonly Outlined[],
): Promise<void> {
  await transaction.run(() => changeTotals(addUp(changed(pruned, 1), 1)));
}
