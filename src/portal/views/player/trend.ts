/** The points of the chart: one measure of each match, oldest first, as one series per mode. */

import type { Appearance } from "../../match.ts";
import { modeName } from "../../names.ts";
import { meanOf, tallies } from "./form.ts";

export const MEASURES = {
  ratio: { name: "K/D/A ratio", short: "K/D/A", digits: 1 },
  goldPerMinute: { name: "Gold per minute", short: "Gold/min", digits: 0 },
  farm: { name: "Farm", short: "Farm", digits: 0 },
} as const;

export type Measure = keyof typeof MEASURES;

/** A plot can tell three series apart. */
const MOST = 3;

/** Takes matches newest first. A match without the measure is missing in all series. */
export function trendOf(newestFirst: readonly Appearance[], measure: Measure) {
  const appearances = newestFirst.toReversed();
  const modes = tallies(appearances, ({ mode }) => mode).map(({ key }) => key);
  const own = modes.length > MOST ? modes.slice(0, MOST - 1) : modes;
  const seriesFor = (label: string, isIn: (mode: string) => boolean) => {
    const values = appearances.map((one) => (isIn(one.mode) ? (one[measure] ?? null) : null));
    const mean = meanOf(values.map((value) => value ?? undefined));
    // The matches of one mode are joined, whatever was played between them.
    return { label, values, mean, isJoined: true };
  };
  return {
    /** Match numbers. Not times, because matches come in bursts and would overlap. */
    xs: appearances.map((_, at) => at + 1),
    /** Oldest first. */
    appearances,
    series: [
      ...own.map((mode) => seriesFor(modeName(mode), (one) => one === mode)),
      ...(own.length < modes.length ? [seriesFor("Other modes", (one) => !own.includes(one))] : []),
    ],
  };
}
