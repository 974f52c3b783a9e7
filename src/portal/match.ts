/**
 * A match as the pages show it: two sides with their members and totals. Responses may leave things out (`include`,
 * `fields`), and records may contain more than the API defines. Pure functions, so that unusual records (no stats, no
 * winner, one against ten) can be tested without a browser.
 */

import { numberIn, type Stats, textIn } from "./format.ts";
import { heroName, playerName, sideName, skinName } from "./names.ts";

/** The most that the API returns at once. */
export const MATCHES_PER_PAGE = 5;

/** What is read of a resource, complete or not. */
export interface Readable {
  readonly type: string;
  readonly id: string;
  readonly attributes: Stats;
  readonly raw: { readonly relationships?: object };
  relation(name: string): readonly Readable[];
}

export interface Match {
  id: string;
  createdAt: string;
  /** In seconds. */
  duration: number | undefined;
  /** As the record names it. */
  mode: string;
  patch: string | undefined;
  stats: Stats;
  /** All attributes, unchanged. */
  attributes: Stats;
  /** The left one first. */
  sides: readonly Side[];
  /** Relationships other than rosters. */
  relations: readonly { name: string; resources: readonly Readable[] }[];
}

export interface Side {
  id: string;
  name: string;
  colour: Colour;
  /** The tag of the team, if the members entered as one. */
  tag: string | undefined;
  outcome: Outcome;
  members: readonly Member[];
  totals: Totals;
  stats: Stats;
  attributes: Stats;
}

type Figures<Names extends string> = Readonly<Record<Names, number | undefined>>;

export interface Member
  extends Figures<
    | ("level" | "kills" | "deaths" | "assists" | "gold" | "farm" | "tier")
    // Seconds into the match.
    | "afkSince"
    // (kills + assists) / deaths. No death counts as one, so that there is a number.
    | "ratio"
    | ("goldPerMinute" | "farmPerMinute")
  > {
  id: string;
  /** As the record names it. */
  actor: string;
  hero: string;
  skin: string | undefined;
  /** Bots and anonymous players have none. */
  player: { id: string; name: string } | undefined;
  /** As the record names them. */
  items: string[];
  afk: boolean;
  stats: Stats;
  attributes: Stats;
}

type Colour = "blue" | "red";

export type Outcome = "won" | "lost" | "undecided";

export const OUTCOME_NAMES: Readonly<Record<Outcome, string>> = {
  won: "Won",
  lost: "Lost",
  undecided: "No winner",
};

/** Totals of one side. Undefined if neither the roster nor its participants have the stat. */
export type Totals = Figures<"kills" | "gold" | "farm" | "turrets" | "aces" | "kraken">;

export function matchOf(match: Readable): Match {
  const { id, attributes, raw } = match;
  const duration = numberIn(attributes, "duration");
  const rosters = fromLeft(match.relation("rosters"));
  const colours = coloursOf(rosters);
  const others = Object.keys(raw.relationships ?? {}).filter((name) => name !== "rosters");
  return {
    id,
    createdAt: String(attributes.createdAt ?? ""),
    duration,
    mode: String(attributes.gameMode ?? ""),
    patch: textIn(attributes, "patchVersion"),
    stats: statsIn(match),
    attributes,
    sides: rosters.map((roster, at) => ({
      ...sideOf(roster, duration),
      name: nameOf(roster, at),
      colour: colours[at] ?? "red",
      outcome: outcomeOf(roster, rosters),
    })),
    relations: others.map((name) => ({ name, resources: match.relation(name) })),
  };
}

/** A match from the point of view of one player. */
export interface Appearance extends Omit<Member, "id">, Omit<Match, keyof Member | "sides"> {
  /** Of the match. */
  id: string;
  outcome: Outcome;
  self: Member;
  /** The player's own side first. */
  sides: readonly Side[];
}

/** Undefined if the player did not take part, as a spectator. */
export function appearanceOf(match: Match, playerId: string): Appearance | undefined {
  const isSelf = ({ player }: Member) => player?.id === playerId;
  const own = match.sides.find(({ members }) => members.some(isSelf));
  const self = own?.members.find(isSelf);
  if (!own || !self) return undefined;
  const sides = [own, ...match.sides.filter((side) => side !== own)];
  return { ...match, ...self, id: match.id, outcome: own.outcome, self, sides };
}

const statsIn = ({ attributes: { stats } }: Readable): Stats =>
  typeof stats === "object" && stats !== null ? (stats as Stats) : {};

/** The left side comes first, whatever the order in the record. */
function fromLeft(rosters: readonly Readable[]): readonly Readable[] {
  const [first] = rosters;
  const isRight = first && textIn(statsIn(first), "side")?.startsWith("right");
  return isRight ? rosters.toReversed() : rosters;
}

/** The colours that the records name, if these are one blue and one red; otherwise by position. */
function coloursOf(rosters: readonly Readable[]): Colour[] {
  const [first, second] = rosters.map((roster) =>
    /\b(blue|red)\b/i.exec(textIn(statsIn(roster), "side") ?? "")?.[1]?.toLowerCase(),
  );
  const isSwapped = first === "red" ? second !== "red" : first === undefined && second === "blue";
  return isSwapped ? ["red", "blue"] : ["blue", "red"];
}

function nameOf(roster: Readable, at: number): string {
  const side = textIn(statsIn(roster), "side");
  return side === undefined ? `Side ${at + 1}` : sideName(side);
}

/** If no side won, none lost either. The record has texts, and a text is always truthy. */
function outcomeOf(roster: Readable, rosters: readonly Readable[]): Outcome {
  const hasWon = ({ attributes }: Readable) => String(attributes.won) === "true";
  if (hasWon(roster)) return "won";
  return rosters.some(hasWon) ? "lost" : "undecided";
}

function sideOf(roster: Readable, duration: number | undefined) {
  const stats = statsIn(roster);
  const members = roster.relation("participants").map((one) => memberOf(one, duration));
  const [team] = roster.relation("team");
  const sum = (key: "kills" | "gold" | "farm"): number | undefined => {
    const known = members.map((one) => one[key]).filter((value) => value !== undefined);
    return known.length === 0 ? undefined : known.reduce((all, one) => all + one, 0);
  };
  return {
    id: roster.id,
    tag: team && textIn(team.attributes, "name"),
    members,
    totals: {
      kills: numberIn(stats, "heroKills") ?? sum("kills"),
      gold: numberIn(stats, "gold") ?? sum("gold"),
      farm: sum("farm"),
      turrets: numberIn(stats, "turretKills"),
      aces: numberIn(stats, "acesEarned"),
      kraken: numberIn(stats, "krakenCaptures"),
    },
    stats,
    attributes: roster.attributes,
  };
}

const FIGURES = ["kills", "deaths", "assists", "gold", "farm"];

function memberOf(participant: Readable, duration: number | undefined): Member {
  const { id, attributes } = participant;
  const stats = statsIn(participant);
  const of = (key: string) => numberIn(stats, key);
  const perMinute = (value: number | undefined) =>
    value === undefined || !duration || duration < 0 ? undefined : (value * 60) / duration;
  const [kills, deaths, assists, gold, farm] = FIGURES.map(of);
  const isRated = kills !== undefined && deaths !== undefined && assists !== undefined;
  const actor = String(attributes.actor ?? "");
  const skin = textIn(stats, "skinKey");
  const since = of("firstAfkTime");
  const [player] = participant.relation("player");
  return {
    id,
    actor,
    hero: heroName(actor),
    skin: skin === undefined ? undefined : skinName(skin, actor),
    player: player && { id: player.id, name: playerName(player.attributes.name ?? player.id) },
    level: of("level"),
    kills,
    deaths,
    assists,
    gold,
    farm,
    tier: of("skillTier"),
    items: Array.isArray(stats.items) ? stats.items.filter((one) => typeof one === "string") : [],
    afk: stats.wentAfk === true,
    afkSince: since !== undefined && since >= 0 ? since : undefined,
    ratio: isRated ? (kills + assists) / Math.max(1, deaths) : undefined,
    goldPerMinute: perMinute(gold),
    farmPerMinute: perMinute(farm),
    stats,
    attributes,
  };
}

/** Values of which the highest of the match is marked. */
export type Rated = "kills" | "assists" | "ratio" | "gold" | "farm";

/** The highest value of any member; 0 if nobody has one. */
export const mostOf = ({ sides }: Match, name: Rated): number =>
  Math.max(0, ...sides.flatMap(({ members }) => members.map((one) => one[name] ?? 0)));

/** Whether this is the highest value of the match. It is not if everybody has it. */
export function isHighest(match: Match, member: Member, name: Rated): boolean {
  const most = mostOf(match, name);
  if (most <= 0 || member[name] !== most) return false;
  return match.sides.some(({ members }) => members.some((other) => (other[name] ?? 0) < most));
}
