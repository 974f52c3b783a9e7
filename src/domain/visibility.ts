/** Which matches are served: the three validity rules. */

import { type MatchFacts, type MatchRecord, rosterPlayers } from "./match.ts";
import { isServedMode, isVoidEnding, PRIVATE_MODE, RANKED_MODE } from "./modes.ts";
import { saysRanked } from "./player.ts";

/** Why a match is withheld, in the order in which the rules are asked. */
export const WITHHELD_REASONS = ["game-mode", "ending", "no-ranked-player"] as const;
export type WithheldReason = (typeof WITHHELD_REASONS)[number];

/** Counts by reason, before anything is counted. */
export const noneWithheld = (): Record<WithheldReason, number> => ({
  "game-mode": 0,
  ending: 0,
  "no-ranked-player": 0,
});

export type Visibility = { served: true } | { served: false; reason: WithheldReason };

/** Decides whether a match is served; `isRanked` says of a player what all records together say. */
export function visibility(
  record: MatchFacts,
  isRanked: (playerId: string) => boolean,
): Visibility {
  if (!isServedMode(record.gameMode)) return { served: false, reason: "game-mode" };
  if (isVoidEnding(record.endGameReason)) return { served: false, reason: "ending" };
  if (needsRankedPlayer(record) && !rosterPlayers(record).some(isRanked)) {
    return { served: false, reason: "no-ranked-player" };
  }
  return { served: true };
}

/** Whether the third rule decides this match: its visibility can change when others arrive. */
export function needsRankedPlayer(record: MatchFacts): boolean {
  return record.gameMode === PRIVATE_MODE && !isVoidEnding(record.endGameReason);
}

/**
 * The players this record shows to be ranked: all it names when it is a served ranked match (which
 * the first two rules alone decide), else those whose carried stats say so.
 */
export function playersShownRanked(record: MatchRecord): string[] {
  const isServedRanked =
    record.gameMode === RANKED_MODE && visibility(record, () => false).served === true;
  return record.players
    .filter((player) => isServedRanked || saysRanked(player.carried))
    .map((player) => player.id);
}
