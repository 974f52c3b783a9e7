/** The stored statistics of heroes. */

import type { HeroTotals } from "../../src/features/heroes/statistics.ts";
import { changeTotals, totalsOf } from "../../src/features/heroes/stored.ts";
import type { StoredRow, Transaction } from "../../src/store/store.ts";

export const heroRows = (rows: readonly StoredRow[]): HeroTotals[] =>
  rows.map((row) => totalsOf(row as Parameters<typeof totalsOf>[0]));

export const changeHeroes = (transaction: Transaction, changes: HeroTotals[]) =>
  transaction.run(() => changeTotals(changes));
