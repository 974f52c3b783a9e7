/** Decides which matches are served: the three validity rules. */

import { type MatchFacts, type MatchRecord, rosterPlayers } from "./match.ts";
import { isServedMode, isVoidEnding, PRIVATE_MODE, RANKED_MODE } from "./modes.ts";
import { saysRanked } from "./player.ts";

/** Why a match is withheld, in the order of the rules. */
export const WITHHELD_REASONS = ["game-mode", "ending", "no-ranked-player"] as const;
export type WithheldReason = (typeof WITHHELD_REASONS)[number];

export const noneWithheld = () =>
  Object.fromEntries(WITHHELD_REASONS.map((one) => [one, 0])) as Record<WithheldReason, number>;

/** What has been decided about a match. */
export type Fate = { state: "served" } | { state: "withheld"; reason: WithheldReason };

/** Decides whether a match is served. `isRanked` takes all records into account. */
export function visibility(record: MatchFacts, isRanked: (playerId: string) => boolean): Fate {
  if (!isServedMode(record.gameMode)) return { state: "withheld", reason: "game-mode" };
  if (isVoidEnding(record.endGameReason)) return { state: "withheld", reason: "ending" };
  if (needsRankedPlayer(record) && !rosterPlayers(record).some(isRanked)) {
    return { state: "withheld", reason: "no-ranked-player" };
  }
  return { state: "served" };
}

/** Whether the third rule decides: visibility can then change when other records arrive. */
export function needsRankedPlayer(record: MatchFacts): boolean {
  return record.gameMode === PRIVATE_MODE && !isVoidEnding(record.endGameReason);
}

/**
 * The players that this record proves to be ranked: all of them if it is a served ranked match,
 * otherwise those whose stats say so.
 */
export function playersShownRanked(record: MatchRecord): string[] {
  const isServedRanked =
    record.gameMode === RANKED_MODE && visibility(record, () => false).state === "served";
  return record.players
    .filter((player) => isServedRanked || saysRanked(player.carried))
    .map((player) => player.id);
}
