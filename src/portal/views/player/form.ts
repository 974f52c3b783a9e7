/** Summarizes recent matches: form, streak, and results by mode and hero. */

import { counted, numberIn, type Stats } from "../../format.ts";
import type { Outcome } from "../match/record.ts";
import type { Appearance } from "./appearance.ts";

export const OUTCOME_LETTERS: Readonly<Record<Outcome, string>> = {
  won: "W",
  lost: "L",
  undecided: "–",
};

/** "4 wins in a row", from the lifetime stats. */
export function streakInWords(stats: Stats): string {
  const wins = numberIn(stats, "winStreak") ?? 0;
  const losses = numberIn(stats, "lossStreak") ?? 0;
  // Imported records may contain both.
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
  /** From 0 to 1, of the matches with a winner. */
  winRate: number | undefined;
}

/** Matches and wins by name, most played first. */
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

/** "6 wins, 4 losses", plus "1 without a winner" if there are any. */
export function resultsInWords(appearances: readonly Appearance[]): string {
  const of = (wanted: Outcome) => appearances.filter(({ outcome }) => outcome === wanted).length;
  const undecided = of("undecided");
  const parts = [counted(of("won"), "win"), counted(of("lost"), "loss", "losses")];
  if (undecided > 0) parts.push(`${undecided} without a winner`);
  return parts.join(", ");
}

const inARow = (run: number, once: string, many: string): string =>
  run === 1 ? once : `${counted(run, many, many)} in a row`;
