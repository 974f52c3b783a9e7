/** What a player is ranked by: the skill tier and the win rate. */

import type { JsonObject, Resource } from "./json.ts";

/** Players with fewer ranked matches have no win rate. */
export const MIN_RATED_MATCHES = 20;

/** Ranked matches of a player. */
export interface RankedTally {
  played: number;
  wins: number;
}

/** The unit of a win rate: an integer, so that every store orders rates alike. */
export const RATE_UNIT = 1_000_000;

/** Undefined without enough matches. */
export function winRate({ played, wins }: RankedTally): number | undefined {
  return played < MIN_RATED_MATCHES ? undefined : Math.floor((wins * RATE_UNIT) / played);
}

/** The skill tier that a player resource carries. */
export function skillTier(carried: Resource): number | undefined {
  const tier = (carried.attributes.stats as JsonObject | undefined)?.skillTier;
  return typeof tier === "number" && Number.isSafeInteger(tier) && tier >= 0 ? tier : undefined;
}
