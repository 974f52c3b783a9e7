/** In charge of what recent matches add up to: the form, the current streak, what is played how well. */

import { counted, numberIn, type Stats } from "../../format.ts";
import type { Outcome } from "../match/record.ts";
import type { Appearance } from "./appearance.ts";

export const MARKS: Record<Outcome, { letter: string; word: string }> = {
  won: { letter: "W", word: "Won" },
  lost: { letter: "L", word: "Lost" },
  undecided: { letter: "–", word: "No winner" },
};

/** "4 wins in a row", from the lifetime record. */
export function streakInWords(stats: Stats): string {
  const wins = numberIn(stats, "winStreak") ?? 0;
  const losses = numberIn(stats, "lossStreak") ?? 0;
  // Records may carry streaks of their own, so both can be there.
  if (wins > 0 && losses > 0)
    return `${counted(wins, "win")}, ${counted(losses, "loss", "losses")}`;
  if (wins > 0) return inARow(wins, "Won the last match", "wins");
  if (losses > 0) return inARow(losses, "Lost the last match", "losses");
  return "No streak";
}

export interface Tally {
  name: string;
  played: number;
  won: number;
  /** From 0 to 1, of the matches that had a winner. */
  winRate: number | undefined;
}

/** How often each name was played and won, the most played first. */
export function tallies(
  appearances: readonly Appearance[],
  nameOf: (one: Appearance) => string,
): Tally[] {
  const groups = Map.groupBy(appearances, nameOf);
  return [...groups]
    .map(([name, group]) => tallyOf(name, group))
    .sort((one, other) => other.played - one.played || one.name.localeCompare(other.name, "en"));
}

function tallyOf(name: string, appearances: readonly Appearance[]): Tally {
  const won = appearances.filter(({ outcome }) => outcome === "won").length;
  const lost = appearances.filter(({ outcome }) => outcome === "lost").length;
  const decided = won + lost;
  return {
    name,
    played: appearances.length,
    won,
    winRate: decided === 0 ? undefined : won / decided,
  };
}

/** "6 won, 4 lost" and, where there are such, "1 without a winner". */
export function resultsInWords(appearances: readonly Appearance[]): string {
  const of = (wanted: Outcome) => appearances.filter(({ outcome }) => outcome === wanted).length;
  const undecided = of("undecided");
  const parts = [`${of("won")} won`, `${of("lost")} lost`];
  if (undecided > 0) parts.push(`${undecided} without a winner`);
  return parts.join(", ");
}

const inARow = (run: number, once: string, many: string): string =>
  run === 1 ? once : `${counted(run, many, many)} in a row`;
