/** Data points for the player's plots, oldest match first. */

import type { Appearance } from "./appearance.ts";

export interface Points {
  /** Match numbers from 1. Not times, because matches come in bursts and would overlap. */
  xs: number[];
  gold: (number | null)[];
  farm: (number | null)[];
  /** When each match was played. */
  times: string[];
}

/** Takes matches newest first. A missing value leaves a gap. */
export function pointsOf(newestFirst: readonly Appearance[]): Points {
  const oldestFirst = newestFirst.toReversed();
  return {
    xs: oldestFirst.map((_, at) => at + 1),
    gold: oldestFirst.map(({ gold }) => gold ?? null),
    farm: oldestFirst.map(({ farm }) => farm ?? null),
    times: oldestFirst.map(({ createdAt }) => createdAt),
  };
}

/** The mean of the known values. */
export function meanOf(values: readonly (number | null)[]): number | undefined {
  const known = values.filter((value) => value !== null);
  if (known.length === 0) return undefined;
  return known.reduce((sum, value) => sum + value, 0) / known.length;
}
