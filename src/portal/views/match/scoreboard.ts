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
  /** (kills + assists) / deaths; without deaths, kills + assists. */
  ratio: number | undefined;
  goldPerMinute: number | undefined;
  farmPerMinute: number | undefined;
  stats: Stats;
}

/** Values of which the highest of the match is marked. */
export const RATED = ["kills", "assists", "ratio", "gold", "farm"] as const;
export type Rated = (typeof RATED)[number];

export interface Side {
  id: string;
  colour: Colour;
  name: string;
  tag: string | undefined;
  outcome: Outcome;
  lines: Line[];
  totals: Totals;
  stats: Stats;
}

export type Colour = "blue" | "red";

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
  /** The highest value of any participant. 0 if nobody has one. */
  most: Readonly<Record<Rated, number>>;
}

export function scoreboardOf({ rosters, duration }: MatchRecord): Scoreboard {
  const ordered = fromLeft(rosters);
  const colours = coloursOf(ordered);
  const sides = ordered.map((roster, at) => ({
    ...sideOf(roster, at, rosters, duration),
    colour: colours[at] ?? "red",
  }));
  const lines = sides.flatMap((side) => side.lines);
  const most = Object.fromEntries(
    RATED.map((name) => [name, largest(lines.map((line) => line[name]))]),
  ) as Record<Rated, number>;
  return { sides, most };
}

/** Whether this is the highest value of the match. It is not if everybody has it. */
export function isHighest({ sides, most }: Scoreboard, line: Line, name: Rated): boolean {
  if (line[name] === undefined || most[name] <= 0 || line[name] !== most[name]) return false;
  return sides.some(({ lines }) => lines.some((other) => (other[name] ?? 0) < most[name]));
}

/** The left side comes first, whatever the order in the record. */
function fromLeft(rosters: readonly RosterRecord[]): readonly RosterRecord[] {
  const first = textIn(rosters[0]?.stats ?? {}, "side");
  return first?.startsWith("right") ? rosters.toReversed() : rosters;
}

/** The colours that the records name, if these are one blue and one red; otherwise by position. */
function coloursOf(rosters: readonly RosterRecord[]): Colour[] {
  const named = rosters.map(
    ({ stats }) => /\b(blue|red)\b/i.exec(textIn(stats, "side") ?? "")?.[1],
  );
  const [first, second] = named.map((name) => name?.toLowerCase());
  const isSwapped = first === "red" ? second !== "red" : first === undefined && second === "blue";
  return isSwapped ? ["red", "blue"] : ["blue", "red"];
}

function sideOf(
  roster: RosterRecord,
  at: number,
  rosters: readonly RosterRecord[],
  duration: number,
): Omit<Side, "colour"> {
  const lines = roster.participants.map((participant) => lineOf(participant, duration));
  const { stats } = roster;
  const side = textIn(stats, "side");
  return {
    id: roster.id,
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

function lineOf({ id, actor, stats, player }: ParticipantRecord, duration: number): Line {
  const [kills, deaths, assists] = ["kills", "deaths", "assists"].map((name) =>
    numberIn(stats, name),
  );
  const [gold, farm] = [numberIn(stats, "gold"), numberIn(stats, "farm")];
  const since = numberIn(stats, "firstAfkTime");
  const skin = textIn(stats, "skinKey");
  return {
    id,
    hero: heroName(actor),
    skin: skin === undefined ? undefined : skinName(skin, actor),
    player: player && { id: player.id, name: playerName(player.name) },
    level: numberIn(stats, "level"),
    kills,
    deaths,
    assists,
    gold,
    farm,
    ratio: ratioOf(kills, deaths, assists),
    goldPerMinute: perMinute(gold, duration),
    farmPerMinute: perMinute(farm, duration),
    tier: numberIn(stats, "skillTier"),
    items: itemsOf(stats.items),
    afk: stats.wentAfk === true,
    afkSince: since === undefined || since < 0 ? undefined : since,
    stats,
  };
}

function ratioOf(
  kills: number | undefined,
  deaths: number | undefined,
  assists: number | undefined,
): number | undefined {
  if (kills === undefined || deaths === undefined || assists === undefined) return undefined;
  return (kills + assists) / Math.max(1, deaths);
}

const perMinute = (value: number | undefined, seconds: number): number | undefined =>
  value === undefined || !(seconds > 0) ? undefined : (value * 60) / seconds;

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
