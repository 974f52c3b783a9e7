/** Updates the statistics when served matches are added, removed or pruned. */

import type { Transaction } from "../../store/store.ts";
import type { DerivedChange, Outlined } from "../feature.ts";
import { type HeroPart, HeroTally } from "./statistics.ts";
import { changeTotals } from "./stored.ts";

/** The member of an outline that has what a match adds. */
export const HEROES = "heroes";

const counted = ({ outline: { gameMode, patchVersion, parts } }: Outlined) => ({
  gameMode,
  patchVersion,
  heroes: parts[HEROES] as HeroPart[],
});

export async function countHeroes(
  transaction: Transaction,
  { came, left }: DerivedChange,
): Promise<void> {
  const tally = new HeroTally();
  for (const match of came) tally.add(counted(match), 1);
  for (const match of left) tally.add(counted(match), -1);
  await transaction.run(() => changeTotals(tally.totals()));
}

/** Pruned matches go on counting. */
export async function keepPruned(
  transaction: Transaction,
  pruned: readonly Outlined[],
): Promise<void> {
  const tally = new HeroTally();
  for (const match of pruned) tally.add(counted(match), 1, true);
  await transaction.run(() => changeTotals(tally.totals()));
}
