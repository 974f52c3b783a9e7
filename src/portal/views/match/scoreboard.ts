/**
 * Computes the scoreboard of a match: its two sides with their players and totals. Pure functions, so that
 * unusual records (no stats, no winner, one against ten) can be tested without a browser.
 */

import { numberIn, type Stats, textIn } from "../../format.ts";
import { heroName, itemName, playerName, sideName, skinName } from "../../names.ts";
import {
  type MatchRecord,
  type Outcome,
  outcomeOf,
  type ParticipantRecord,
  type RosterRecord,
} from "./record.ts";

export interface Line {
  id: string;
  hero: string;
  skin: string | undefined;
  player: { id: string; name: string } | undefined;
  level: number | undefined;
  kills: number | undefined;
  deaths: number | undefined;
  assists: number | undefined;
  gold: number | undefined;
  farm: number | undefined;
  tier: number | undefined;
  items: string[];
  afk: boolean;
  /** Seconds into the match, if known. */
  afkSince: number | undefined;
  stats: Stats;
}

export interface Side {
  id: string;
  /** Determines the position and colour. */
  place: "left" | "right";
  name: string;
  tag: string | undefined;
  outcome: Outcome;
  lines: Line[];
  totals: Totals;
  stats: Stats;
}

/** Totals of one side. Undefined if neither the roster nor its participants have the stat. */
export interface Totals {
  kills: number | undefined;
  gold: number | undefined;
  farm: number | undefined;
  turrets: number | undefined;
  aces: number | undefined;
  kraken: number | undefined;
}

export interface Scoreboard {
  sides: Side[];
  /** The highest value of any participant: the full length of a bar. */
  most: { gold: number; farm: number; kills: number };
}

export function scoreboardOf({ rosters }: MatchRecord): Scoreboard {
  const sides = fromLeft(rosters).map((roster, at) => sideOf(roster, at, rosters));
  const lines = sides.flatMap((side) => side.lines);
  return {
    sides,
    most: {
      gold: largest(lines.map((line) => line.gold)),
      farm: largest(lines.map((line) => line.farm)),
      kills: largest(lines.map((line) => line.kills)),
    },
  };
}

/** The left side comes first, whatever the order in the record. */
function fromLeft(rosters: readonly RosterRecord[]): readonly RosterRecord[] {
  const first = textIn(rosters[0]?.stats ?? {}, "side");
  return first?.startsWith("right") ? rosters.toReversed() : rosters;
}

function sideOf(roster: RosterRecord, at: number, rosters: readonly RosterRecord[]): Side {
  const lines = roster.participants.map(lineOf);
  const { stats } = roster;
  const side = textIn(stats, "side");
  return {
    id: roster.id,
    place: at === 0 ? "left" : "right",
    name: side === undefined ? `Side ${at + 1}` : sideName(side),
    tag: roster.team?.name,
    outcome: outcomeOf(roster, rosters),
    lines,
    totals: {
      kills: numberIn(stats, "heroKills") ?? sum(lines.map((line) => line.kills)),
      gold: numberIn(stats, "gold") ?? sum(lines.map((line) => line.gold)),
      farm: sum(lines.map((line) => line.farm)),
      turrets: numberIn(stats, "turretKills"),
      aces: numberIn(stats, "acesEarned"),
      kraken: numberIn(stats, "krakenCaptures"),
    },
    stats,
  };
}

function lineOf({ id, actor, stats, player }: ParticipantRecord): Line {
  const since = numberIn(stats, "firstAfkTime");
  const skin = textIn(stats, "skinKey");
  return {
    id,
    hero: heroName(actor),
    skin: skin === undefined ? undefined : skinName(skin, actor),
    player: player && { id: player.id, name: playerName(player.name) },
    level: numberIn(stats, "level"),
    kills: numberIn(stats, "kills"),
    deaths: numberIn(stats, "deaths"),
    assists: numberIn(stats, "assists"),
    gold: numberIn(stats, "gold"),
    farm: numberIn(stats, "farm"),
    tier: numberIn(stats, "skillTier"),
    items: itemsOf(stats.items),
    afk: stats.wentAfk === true,
    afkSince: since === undefined || since < 0 ? undefined : since,
    stats,
  };
}

function itemsOf(items: unknown): string[] {
  return Array.isArray(items) ? items.filter((one) => typeof one === "string").map(itemName) : [];
}

/** The sum of the known values; undefined if there are none. */
function sum(values: (number | undefined)[]): number | undefined {
  const known = values.filter((value) => value !== undefined);
  return known.length === 0 ? undefined : known.reduce((all, one) => all + one, 0);
}

function largest(values: (number | undefined)[]): number {
  return Math.max(0, ...values.filter((value) => value !== undefined));
}
