/** A match from the point of view of one player: outcome, hero, stats, items and both line-ups. */

import { numberIn, type Stats, textIn } from "../../format.ts";
import { playerName, sideName } from "../../names.ts";
import { type MatchRecord, type Outcome, outcomeOf, type RosterRecord } from "../match/record.ts";

export interface Appearance {
  /** Of the match. */
  id: string;
  createdAt: string;
  /** In seconds. */
  duration: number;
  /** As the record names it; the actor too. */
  mode: string;
  actor: string;
  outcome: Outcome;
  kills: number | undefined;
  deaths: number | undefined;
  assists: number | undefined;
  /** Kills and assists per death. */
  ratio: number | undefined;
  gold: number | undefined;
  goldPerMinute: number | undefined;
  farm: number | undefined;
  items: string[];
  /** The player's own side first. */
  lineups: Lineup[];
}

export interface Lineup {
  id: string;
  name: string;
  colour: "blue" | "red" | undefined;
  isOwn: boolean;
  members: Member[];
}

export interface Member {
  id: string;
  actor: string;
  /** Bots and anonymous players have none. */
  player: { id: string; name: string } | undefined;
  isSelf: boolean;
}

/** Undefined if the player did not take part, as a spectator. */
export function appearanceOf(match: MatchRecord, playerId: string): Appearance | undefined {
  const own = match.rosters.find(({ participants }) =>
    participants.some(({ player }) => player?.id === playerId),
  );
  const participant = own?.participants.find(({ player }) => player?.id === playerId);
  if (!own || !participant) return undefined;
  const { stats, actor } = participant;
  const [kills, deaths, assists, gold] = ["kills", "deaths", "assists", "gold"].map((key) =>
    numberIn(stats, key),
  );
  const { duration } = match;
  return {
    id: match.id,
    createdAt: match.createdAt,
    duration,
    mode: match.gameMode,
    actor,
    outcome: outcomeOf(own, match.rosters),
    kills,
    deaths,
    assists,
    ratio: ratioOf(kills, deaths, assists),
    gold,
    goldPerMinute: gold === undefined || !(duration > 0) ? undefined : (gold * 60) / duration,
    farm: numberIn(stats, "farm"),
    items: itemsIn(stats),
    lineups: [own, ...match.rosters.filter((one) => one !== own)].map((roster) =>
      lineupOf(roster, roster === own, playerId),
    ),
  };
}

/** No death counts as one, so that there is a number. */
export function ratioOf(
  kills: number | undefined,
  deaths: number | undefined,
  assists: number | undefined,
): number | undefined {
  if (kills === undefined || deaths === undefined || assists === undefined) return undefined;
  return (kills + assists) / Math.max(1, deaths);
}

function lineupOf(roster: RosterRecord, isOwn: boolean, playerId: string): Lineup {
  const side = textIn(roster.stats, "side");
  return {
    id: roster.id,
    name: side === undefined ? (isOwn ? "Own side" : "Opponents") : sideName(side),
    colour: side?.endsWith("/blue") ? "blue" : side?.endsWith("/red") ? "red" : undefined,
    isOwn,
    members: roster.participants.map(({ id, actor, player }) => ({
      id,
      actor,
      player: player && { id: player.id, name: playerName(player.name) },
      isSelf: player?.id === playerId,
    })),
  };
}

function itemsIn({ items }: Stats): string[] {
  return Array.isArray(items) ? items.filter((one) => typeof one === "string") : [];
}
