/** The hero statistics as rows: readable names, in the order of a column. Pure functions. */

import type { ActorSort, ActorSummary } from "../../../domain/actors.ts";
import { heroName } from "../../names.ts";
import { columnOf } from "./filters.ts";

export interface HeroRow extends ActorSummary {
  /** Readable, and not unique: several codes can give the same name. */
  hero: string;
}

export function rowsOf(actors: readonly { id: string; attributes: object }[]): HeroRow[] {
  return actors.map(({ id, attributes }) => ({
    // A response has all of them.
    ...(attributes as Omit<ActorSummary, "actor">),
    actor: id,
    hero: heroName(id),
  }));
}

/** All heroes come in one response, so that another order needs no request. Equal ones follow by name. */
export function sorted(rows: readonly HeroRow[], sort: ActorSort): HeroRow[] {
  const isDescending = sort.startsWith("-");
  const column = columnOf(sort);
  return rows.toSorted((one, other) => {
    const order = column === "actor" ? byName(one, other) : one[column] - other[column];
    return (isDescending ? -order : order) || byName(one, other);
  });
}

const byName = (one: HeroRow, other: HeroRow): number =>
  one.hero.localeCompare(other.hero, "en") || (one.actor < other.actor ? -1 : 1);

/** Rates and averages of fewer participations say little. */
export const ENOUGH = 20;

/** The hero with the highest value, of those played often enough. */
export function leaderOf(
  rows: readonly HeroRow[],
  name: Exclude<keyof ActorSummary, "actor">,
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
