/** A match from the point of view of one player: outcome, hero and stats. */

import { numberIn } from "../../format.ts";
import { heroName, modeName } from "../../names.ts";
import { type MatchRecord, type Outcome, outcomeOf } from "../match/record.ts";

export interface Appearance {
  matchId: string;
  createdAt: string;
  duration: number;
  mode: string;
  outcome: Outcome;
  hero: string;
  kills: number | undefined;
  deaths: number | undefined;
  assists: number | undefined;
  gold: number | undefined;
  farm: number | undefined;
}

/** Undefined if the player did not take part, as a spectator. */
export function appearanceOf(match: MatchRecord, playerId: string): Appearance | undefined {
  for (const roster of match.rosters) {
    const own = roster.participants.find(({ player }) => player?.id === playerId);
    if (!own) continue;
    return {
      matchId: match.id,
      createdAt: match.createdAt,
      duration: match.duration,
      mode: modeName(match.gameMode),
      outcome: outcomeOf(roster, match.rosters),
      hero: heroName(own.actor),
      kills: numberIn(own.stats, "kills"),
      deaths: numberIn(own.stats, "deaths"),
      assists: numberIn(own.stats, "assists"),
      gold: numberIn(own.stats, "gold"),
      farm: numberIn(own.stats, "farm"),
    };
  }
  return undefined;
}
