/** Lifetime player records: totals and the served resource. */

import type { JsonObject, Resource } from "./json.ts";
import type { Run } from "./streak.ts";

/** Gold is summed in integer millionths, so the sum does not depend on the order. */
export const GOLD_UNIT = 1_000_000;

export function microGold(gold: number): bigint {
  return BigInt(Math.round(gold * GOLD_UNIT));
}

/** Sums over the served matches of a player. */
export interface Totals {
  played: number;
  wins: number;
  playedRanked: number;
  rankedWins: number;
  gold: bigint;
}

export const NO_TOTALS: Totals = { played: 0, wins: 0, playedRanked: 0, rankedWins: 0, gold: 0n };

/** What one served match adds to the totals. */
export interface Contribution {
  won: boolean;
  ranked: boolean;
  gold: bigint;
}

/** Adds a contribution (`times` = 1) or removes it (`times` = -1). */
export function fold(totals: Totals, part: Contribution, times: 1 | -1): Totals {
  return {
    played: totals.played + times,
    wins: totals.wins + (part.won ? times : 0),
    playedRanked: totals.playedRanked + (part.ranked ? times : 0),
    rankedWins: totals.rankedWins + (part.ranked && part.won ? times : 0),
    gold: totals.gold + BigInt(times) * part.gold,
  };
}

/**
 * These describe the same set of matches: either all of them are taken from the record, or none.
 */
const COUNTED_TOGETHER = ["played", "wins", "played_ranked"] as const;

/**
 * The served player resource: the player in its latest served match, completed with computed stats.
 */
export function playerResource(carried: Resource, totals: Totals, run: Run): Resource {
  const stats = (carried.attributes.stats ?? {}) as JsonObject;
  const computed: JsonObject = {
    winStreak: Math.max(run, 0),
    lossStreak: Math.max(-run, 0),
    lifetimeGold: Number(totals.gold) / GOLD_UNIT,
  };
  const counts: JsonObject = {
    played: totals.played,
    wins: totals.wins,
    played_ranked: totals.playedRanked,
  };
  const carriesCounts = COUNTED_TOGETHER.every((name) => typeof stats[name] === "number");
  const merged = { ...computed, ...stats, ...(carriesCounts ? {} : counts) };
  return { ...carried, attributes: { ...carried.attributes, stats: merged } };
}

/** Whether the stats in a record say that the player has played ranked. */
export function saysRanked(carried: Resource): boolean {
  const said = (carried.attributes.stats as JsonObject | undefined)?.played_ranked;
  return typeof said === "number" && said >= 1;
}
