/** The result of a match: the winner, and all counts of both sides, with consistent sums. */

import type { JsonObject } from "../domain/json.ts";
import { equipment, type Hero, type Role } from "./heroes.ts";
import type { Occasion } from "./occasion.ts";
import type { Person } from "./people.ts";
import type { Random } from "./random.ts";

/** A registered player, or an anonymous player or a bot, with the hero. */
export interface Seat {
  hero: Hero;
  /** Strength that includes the hero's; 0 is average. */
  strength: number;
  bot: boolean;
  /** Absent for anonymous players and bots. */
  person?: Person | undefined;
}

export interface Score {
  won: boolean;
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

export function play(random: Random, occasion: Occasion, sides: readonly Seat[][]): Score[] {
  const { duration, ending, pace, perSide } = occasion;
  const lead = strengthOf(sides[0]!) - strengthOf(sides[1]!) + random.normal() * 0.6;
  const winner = lead >= 0 ? 0 : 1;
  const kills = Math.round((duration / 60) * pace * perSide * random.between(0.28, 0.46));
  const won = Math.round(kills * random.between(0.45, 0.8));
  const turrets = ending === "victory" ? TURRETS : ending === "surrender" ? 3 : random.int(0, 1);
  const krakens = Math.max(0, Math.ceil((duration - FIRST_KRAKEN) / NEXT_KRAKEN));
  const taken = random.int(0, krakens);
  const winners = { kills: won, turrets, krakens: taken };
  const lost = random.int(0, Math.max(0, turrets - 1));
  const losers = { kills: kills - won, turrets: lost, krakens: krakens - taken };
  return sides.map((seats, at) => {
    const [own, foe] = at === winner ? [winners, losers] : [losers, winners];
    const participants = score(random, occasion, seats, own, foe, at === winner);
    const roster = {
      acesEarned: Math.min(5, Math.floor((own.kills / perSide) * random.unit() * 0.6)),
      gold: participants.reduce((sum, { gold }) => sum + gold, 0),
      heroKills: own.kills,
      krakenCaptures: own.krakens,
      side: at === 0 ? "left/blue" : "right/red",
      turretKills: own.turrets,
      turretsRemaining: TURRETS - foe.turrets,
    };
    return { won: at === winner, roster, participants };
  });
}

/** The kills of one side equal the deaths of the other. */
function score(
  random: Random,
  { duration, pace, ending }: Occasion,
  seats: readonly Seat[],
  own: Reached,
  foe: Reached,
  winner: boolean,
) {
  const minutes = duration / 60;
  const leaving = ending === "notenoughplayers" ? 0.4 : 0.015;
  const kills = dealt(random, own.kills, seats, "kills", 0.35);
  const deaths = dealt(random, foe.kills, seats, "deaths", -0.25);
  const turrets = dealt(random, own.turrets, seats, "turrets", 0.1);
  const krakens = dealt(random, own.krakens, seats, "kills", 0.1);
  // Fast modes have no jungle.
  const mines = pace > 1.5 ? 0 : Math.floor(minutes / 5);
  return seats.map(({ hero, strength, bot, person }, at) => {
    const { farm: usualFarm, assists: helps, jungle } = ROLES[hero.role];
    const effort = (1 + 0.12 * strength) * random.between(0.8, 1.2);
    const farm = Math.round(usualFarm * minutes * effort * 100) / 100;
    const others = own.kills - kills[at]!;
    const assists = Math.min(others, Math.round(others * helps * random.between(0.7, 1.3)));
    const bounty = kills[at]! * 210 + assists * 95 + krakens[at]! * 250 + own.turrets * 110;
    // An integer, because the gold of a roster is the sum.
    const gold = Math.round(500 + duration * 7.2 + (winner ? 300 : 0) + farm * 26 + bounty);
    const minionKills = Math.round(farm * 0.93);
    const jungleKills = mines === 0 ? 0 : Math.round(minionKills * jungle);
    const wentAfk = !bot && random.chance(leaving);
    const { level, karmaLevel, skillTier } = person?.stats ?? STRANGER;
    return {
      assists,
      crystalMineCaptures: random.int(0, Math.floor(mines / 2)),
      deaths: deaths[at]!,
      farm,
      firstAfkTime: wentAfk ? random.int(60, duration - 30) : -1,
      gold,
      goldMineCaptures: random.int(0, mines),
      jungleKills,
      karmaLevel,
      kills: kills[at]!,
      krakenCaptures: krakens[at]!,
      level,
      minionKills,
      nonJungleMinionKills: minionKills - jungleKills,
      skillTier,
      turretCaptures: turrets[at]!,
      wentAfk,
      winner,
      ...equipment(random, hero, gold, minutes),
    };
  });
}

const STRANGER = { level: 1, karmaLevel: 0, skillTier: -1 };

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

function strengthOf(seats: readonly Seat[]): number {
  return seats.reduce((sum, { strength }) => sum + strength, 0) / seats.length;
}
