/** Summarizes matches: results, streak, averages, and results by mode or hero. */

import { counted, numberIn, type Stats } from "../../format.ts";
import type { Appearance, Outcome } from "../../match.ts";

/** The current streak from the lifetime stats: above 0 of wins, below 0 of losses. */
export function streakIn(stats: Stats): number {
  const wins = numberIn(stats, "winStreak") ?? 0;
  const losses = numberIn(stats, "lossStreak") ?? 0;
  // Imported records may contain both; then neither can be trusted.
  if (wins > 0 && losses > 0) return 0;
  return wins > 0 ? wins : losses > 0 ? -losses : 0;
}

export interface Results {
  played: number;
  won: number;
  lost: number;
  /** From 0 to 1, of the matches with a winner. */
  winRate: number | undefined;
}

export function resultsOf(appearances: readonly Appearance[]): Results {
  const of = (wanted: Outcome) => appearances.filter(({ outcome }) => outcome === wanted).length;
  const [won, lost] = [of("won"), of("lost")];
  const decided = won + lost;
  return {
    played: appearances.length,
    won,
    lost,
    winRate: decided === 0 ? undefined : won / decided,
  };
}

/** "6 wins, 4 losses", plus "1 without a winner" if there are any. */
export function resultsInWords({ played, won, lost }: Results): string {
  const parts = [counted(won, "win"), counted(lost, "loss", "losses")];
  const undecided = played - won - lost;
  if (undecided > 0) parts.push(`${undecided} without a winner`);
  return parts.join(", ");
}

export interface Tally extends Results {
  /** The mode or actor, as records name it. */
  key: string;
  ratio: number | undefined;
}

/** Results by mode or hero, most played first. */
export function tallies(
  appearances: readonly Appearance[],
  keyOf: (one: Appearance) => string,
): Tally[] {
  return [...Map.groupBy(appearances, keyOf)]
    .map(([key, group]) => ({
      key,
      ...resultsOf(group),
      ratio: meanOf(group.map(({ ratio }) => ratio)),
    }))
    .sort((one, other) => other.played - one.played || one.key.localeCompare(other.key, "en"));
}

/** The mean of the known values. */
export function meanOf(values: readonly (number | undefined)[]): number | undefined {
  const known = values.filter((value) => value !== undefined);
  if (known.length === 0) return undefined;
  return known.reduce((sum, value) => sum + value, 0) / known.length;
}
