/** The hero statistics as rows: readable names, in the order of a column. Pure functions. */

import type { HeroSort, HeroSummary } from "../../../features/heroes/statistics.ts";
import { heroName } from "../../names.ts";
import { columnOf } from "./filters.ts";

export interface HeroRow extends HeroSummary {
  /** Readable, and not unique: several codes can give the same name. */
  name: string;
}

export function rowsOf(heroes: readonly { id: string; attributes: object }[]): HeroRow[] {
  return heroes.map(({ id, attributes }) => ({
    // A response has all of them.
    ...(attributes as Omit<HeroSummary, "hero">),
    hero: id,
    name: heroName(id),
  }));
}

/** All heroes come in one response, so that another order needs no request. Equal ones follow by name. */
export function sorted(rows: readonly HeroRow[], sort: HeroSort): HeroRow[] {
  const isDescending = sort.startsWith("-");
  const column = columnOf(sort);
  return rows.toSorted((one, other) => {
    const order = column === "hero" ? byName(one, other) : one[column] - other[column];
    return (isDescending ? -order : order) || byName(one, other);
  });
}

const byName = (one: HeroRow, other: HeroRow): number =>
  one.name.localeCompare(other.name, "en") || (one.hero < other.hero ? -1 : 1);

/** Rates and averages of fewer participations say little. */
export const ENOUGH = 20;

/** The hero with the highest value, of those played often enough. */
export function leaderOf(
  rows: readonly HeroRow[],
  name: Exclude<keyof HeroSummary, "hero">,
): HeroRow | undefined {
  return sorted(rows, `-${name}`).find(({ matches }) => matches >= ENOUGH);
}

/** The values of full bars. */
export interface Scale {
  /** The distance from one half. */
  winRate: number;
  pickRate: number;
}

/** At least ten percentage points, so that small differences do not look large. */
const LEAST_SCALE = 0.1;

export function scaleOf(rows: readonly HeroRow[]): Scale {
  const distances = rows.map(({ winRate }) => Math.abs(winRate - 0.5));
  return {
    winRate: Math.max(LEAST_SCALE, ...distances),
    pickRate: Math.max(LEAST_SCALE, ...rows.map(({ pickRate }) => pickRate)),
  };
}

export const percent = (rate: number): string => `${(rate * 100).toFixed(1)}%`;
