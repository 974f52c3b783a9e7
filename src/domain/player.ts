/** Lifetime player records: totals, streaks and the served resource. */

import type { JsonObject, Resource } from "./json.ts";

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

/** A player's result. "named": the match mentions the player, who did not play. */
export type Result = "won" | "lost" | "named";

/** A streak as one number: wins if positive, losses if negative, 0 without results. */
export type Run = number;

/** The streak after one more match, newer than all others. */
export function lengthen(run: Run, result: Result): Run {
  if (result === "named") return run;
  const step = result === "won" ? 1 : -1;
  return Math.sign(run) === step ? run + step : step;
}

export interface Streaks {
  run: Run;
  /** True if an older result ended the streak, so that it is complete. */
  ended: boolean;
}

/** The streak at the newest end of a player's history. */
export function streaks(newestFirst: Iterable<Result>): Streaks {
  let run: Run = 0;
  for (const result of newestFirst) {
    const longer = lengthen(run, result);
    if (run * longer < 0) return { run, ended: true };
    run = longer;
  }
  return { run, ended: false };
}

/** The streak of a history whose older part ended with the streak `before`; `run` is that of the newer part. */
export function continued(before: Run, { run, ended }: Streaks): Run {
  return ended || before * run < 0 ? run : before + run;
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
