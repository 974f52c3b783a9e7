/** In charge of the points of the player's plots: recent matches from the oldest to the newest. */

import type { Appearance } from "./appearance.ts";

export interface Points {
  /** Places in the row of matches, from 1: matches come in bursts, so that time would bunch them. */
  xs: number[];
  gold: (number | null)[];
  farm: (number | null)[];
  /** When each of them was played. */
  times: string[];
}

/** Of matches that come newest first. What a record does not say leaves a gap. */
export function pointsOf(newestFirst: readonly Appearance[]): Points {
  const oldestFirst = newestFirst.toReversed();
  return {
    xs: oldestFirst.map((_, at) => at + 1),
    gold: oldestFirst.map(({ gold }) => gold ?? null),
    farm: oldestFirst.map(({ farm }) => farm ?? null),
    times: oldestFirst.map(({ createdAt }) => createdAt),
  };
}

/** The mean of what is known, to read a plot by. */
export function meanOf(values: readonly (number | null)[]): number | undefined {
  const known = values.filter((value) => value !== null);
  if (known.length === 0) return undefined;
  return known.reduce((sum, value) => sum + value, 0) / known.length;
}
