/** The result of a match: the winner, and all counts of both sides, with consistent sums. */

import type { JsonObject } from "../domain/json.ts";
import { type Role, skinOf } from "./heroes.ts";
import { shop } from "./items.ts";
import type { Occasion } from "./occasion.ts";
import type { Random } from "./random.ts";
import type { Seat, Side } from "./seats.ts";

export interface Result {
  winner: 0 | 1;
  ending: string;
  duration: number;
  scores: [Score, Score];
}

export interface Score {
  roster: JsonObject;
  participants: JsonObject[];
}

/** What a side reached in all. */
interface Reached {
  kills: number;
  turrets: number;
  krakens: number;
}

/** How much each role does of what: shares of the kills, deaths and turrets of its side, and farm per minute. */
const ROLES: Readonly<Record<Role, Record<Duty, number>>> = {
  carry: { kills: 1.3, deaths: 0.9, assists: 0.42, turrets: 1.5, farm: 5.6, jungle: 0.12 },
  jungler: { kills: 1.15, deaths: 1, assists: 0.5, turrets: 1, farm: 4.8, jungle: 0.7 },
  captain: { kills: 0.55, deaths: 1.15, assists: 0.72, turrets: 0.6, farm: 1.5, jungle: 0.4 },
};
type Duty = "kills" | "deaths" | "assists" | "turrets" | "farm" | "jungle";

const TURRETS = 5;
/** When the first kraken rises, and how long the next one takes, in seconds. */
const FIRST_KRAKEN = 780;
const NEXT_KRAKEN = 270;

export function play(random: Random, occasion: Occasion, sides: [Side, Side]): Result {
  const lead = 1.4 * (strengthOf(sides[0]) - strengthOf(sides[1])) + random.normal() * 0.8;
  const winner = lead >= 0 ? 0 : 1;
  /** How clear the win is, from 0 to 1. */
  const dominance = Math.min(1, Math.abs(lead) / 2.5);
  const surrender = occasion.ending === undefined && random.chance(0.08 + 0.35 * dominance);
  const ending = occasion.ending ?? (surrender ? "surrender" : "victory");
  const shortened = Math.round(occasion.duration * random.between(0.6, 0.9));
  const duration = surrender ? Math.max(250, shortened) : occasion.duration;

  const fights = (duration / 60) * occasion.pace * occasion.perSide * 0.37;
  const kills = Math.round(fights * random.between(0.75, 1.25));
  const won = Math.round(kills * Math.min(0.9, 0.45 + 0.25 * dominance + random.unit() * 0.1));
  const turrets = ending === "victory" ? TURRETS : ending === "surrender" ? 3 : random.int(0, 1);
  const lost = random.int(0, Math.max(0, Math.min(turrets - 1, Math.round(4 * (1 - dominance)))));
  const krakens = Math.max(0, Math.ceil((duration - FIRST_KRAKEN) / NEXT_KRAKEN));
  const taken = Math.round(krakens * random.between(0.3, 0.7));
  const winners: Reached = { kills: won, turrets, krakens: taken };
  const losers: Reached = {
    kills: kills - won,
    turrets: lost,
    krakens: random.int(0, krakens - taken),
  };
  const score = (at: 0 | 1) => {
    const [own, foe] = at === winner ? [winners, losers] : [losers, winners];
    return scoreOf(random, occasion, sides[at].seats, duration, at, own, foe, at === winner);
  };
  return { winner, ending, duration, scores: [score(0), score(1)] };
}

/** The kills of one side equal the deaths of the other. */
function scoreOf(
  random: Random,
  { pace, ending }: Occasion,
  seats: readonly Seat[],
  duration: number,
  at: 0 | 1,
  own: Reached,
  foe: Reached,
  winner: boolean,
): Score {
  const minutes = duration / 60;
  const leaving = ending === "notenoughplayers" ? 0.4 : 0.015;
  const kills = dealt(random, own.kills, seats, "kills", 0.35);
  const deaths = dealt(random, foe.kills, seats, "deaths", -0.25);
  const turrets = dealt(random, own.turrets, seats, "turrets", 0.1);
  const krakens = dealt(random, own.krakens, seats, "kills", 0.1);
  const farms = seats.map(({ hero, strength }) => {
    const effort = (1 + 0.12 * strength) * random.between(0.8, 1.2);
    return Math.round(ROLES[hero.role].farm * minutes * effort * 100) / 100;
  });
  const assists = seats.map(({ hero }, place) => {
    const others = own.kills - kills[place]!;
    const helped = others * ROLES[hero.role].assists * random.between(0.7, 1.3);
    return Math.min(others, Math.round(helped));
  });
  const gold = purse(
    seats.map((_, place) => {
      const bounty = kills[place]! * 210 + assists[place]! * 95 + krakens[place]! * 250;
      const shared = 500 + duration * 7.2 + own.turrets * 110 + (winner ? 300 : 0);
      return shared + farms[place]! * 26 + bounty;
    }),
  );
  // Fast modes have no jungle.
  const mines = pace > 1.5 ? 0 : Math.floor(minutes / 5);
  const participants = seats.map((seat, place): JsonObject => {
    const { hero, bot, karmaLevel, level, skillTier } = seat;
    const minionKills = Math.round(farms[place]! * 0.93);
    const jungleKills = mines === 0 ? 0 : Math.round(minionKills * ROLES[hero.role].jungle);
    const wentAfk = !bot && random.chance(leaving);
    return {
      assists: assists[place]!,
      crystalMineCaptures: random.int(0, Math.floor(mines / 2)),
      deaths: deaths[place]!,
      farm: farms[place]!,
      firstAfkTime: wentAfk ? random.int(60, duration - 30) : -1,
      gold: gold[place]!,
      goldMineCaptures: random.int(0, mines),
      jungleKills,
      karmaLevel,
      kills: kills[place]!,
      krakenCaptures: krakens[place]!,
      level,
      minionKills,
      nonJungleMinionKills: minionKills - jungleKills,
      skillTier,
      skinKey: bot ? `${hero.name}_DefaultSkin` : skinOf(random, hero),
      turretCaptures: turrets[place]!,
      wentAfk,
      winner,
      ...shop(random, hero.build, gold[place]!, minutes),
    };
  });
  const roster: JsonObject = {
    acesEarned: Math.min(5, Math.floor((own.kills / seats.length) * random.unit() * 0.6)),
    gold: gold.reduce((sum, one) => sum + one, 0),
    heroKills: own.kills,
    krakenCaptures: own.krakens,
    side: at === 0 ? "left/blue" : "right/red",
    turretKills: own.turrets,
    turretsRemaining: TURRETS - foe.turrets,
  };
  return { roster, participants };
}

/** Distributes an integer over the seats, by role and strength. */
function dealt(
  random: Random,
  total: number,
  seats: readonly Seat[],
  duty: Duty,
  byStrength: number,
): number[] {
  const weights = seats.map(
    ({ hero, strength }) =>
      ROLES[hero.role][duty] * Math.exp(byStrength * strength) * random.between(0.6, 1.4),
  );
  const counts = seats.map(() => 0);
  for (let left = total; left > 0; left--) counts[random.weighted(weights)]!++;
  return counts;
}

/** Gold in quarters, as in the game, with an integer sum: the gold of a roster is an integer. */
function purse(amounts: number[]): number[] {
  const quarters = amounts.map((amount) => Math.round(amount * 4));
  quarters[0]! -= quarters.reduce((total, one) => total + one, 0) % 4;
  return quarters.map((one) => one / 4);
}

function strengthOf({ seats }: Side): number {
  return seats.reduce((sum, { strength }) => sum + strength, 0) / seats.length;
}
