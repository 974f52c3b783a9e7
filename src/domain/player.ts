/** Lifetime player records: how matches fold into totals, streaks and the resource. */

import type { JsonObject, Resource } from "./json.ts";

/** Gold is summed in millionths as whole numbers, so that the sum never depends on the order. */
const GOLD_UNIT = 1_000_000;

export function microGold(gold: number): bigint {
  return BigInt(Math.round(gold * GOLD_UNIT));
}

/** What all served matches of a player add up to. */
export interface Totals {
  played: number;
  wins: number;
  playedRanked: number;
  gold: bigint;
}

export const NO_TOTALS: Totals = { played: 0, wins: 0, playedRanked: 0, gold: 0n };

/** What one served match adds to its player. */
export interface Contribution {
  won: boolean;
  ranked: boolean;
  gold: bigint;
}

/** Adds a contribution (`times` = 1) or takes it back (`times` = -1). */
export function fold(totals: Totals, part: Contribution, times: 1 | -1): Totals {
  return {
    played: totals.played + times,
    wins: totals.wins + (part.won ? times : 0),
    playedRanked: totals.playedRanked + (part.ranked ? times : 0),
    gold: totals.gold + BigInt(times) * part.gold,
  };
}

/** How a match ended for a player; "named" for a match that names the player without a part in it. */
export type Result = "won" | "lost" | "named";

/** A run of equal results as one number: so many wins or, below zero, losses; 0 before any result. */
export type Run = number;

/** The run after one more match, newer than all before. */
export function lengthen(run: Run, result: Result): Run {
  if (result === "named") return run;
  const step = result === "won" ? 1 : -1;
  return Math.sign(run) === step ? run + step : step;
}

export interface Streaks {
  run: Run;
  /** Whether the run was seen to end, so that older results cannot lengthen it. */
  ended: boolean;
}

/** The run of equal results at the newest end of a player's history. */
export function streaks(newestFirst: Iterable<Result>): Streaks {
  let run: Run = 0;
  for (const result of newestFirst) {
    const longer = lengthen(run, result);
    if (run * longer < 0) return { run, ended: true };
    run = longer;
  }
  return { run, ended: false };
}

/** These three describe the same set of matches, so they are taken together or not at all. */
const COUNTED_TOGETHER = ["played", "wins", "played_ranked"] as const;

/**
 * The player resource that is served: what the player's latest served match carried, completed by
 * what the served matches add up to.
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

/** Whether a carried player resource says that the player has played ranked. */
export function saysRanked(carried: Resource): boolean {
  const said = (carried.attributes.stats as JsonObject | undefined)?.played_ranked;
  return typeof said === "number" && said >= 1;
}
