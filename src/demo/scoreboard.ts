/** The result of a match: the winner, and all counts of both sides, with consistent sums. */

import type { JsonObject } from "../domain/json.ts";
import { type Role, skinOf } from "./heroes.ts";
import { shop } from "./items.ts";
import type { Seat, Side } from "./lineup.ts";
import type { Occasion } from "./occasion.ts";
import type { Random } from "./random.ts";

export interface Verdict {
  winner: 0 | 1;
  /** How clear the win is, from 0 to 1. */
  dominance: number;
  ending: string;
  duration: number;
}

export interface Score {
  roster: JsonObject;
  participants: JsonObject[];
}

interface Tally {
  kills: number[];
  deaths: number[];
  turrets: number[];
  krakens: number[];
  kraken: number;
  turret: number;
  killed: number;
}

const TURRETS = 5;
const KILLING: Record<Role, number> = { carry: 1.3, jungler: 1.15, captain: 0.55 };
const DYING: Record<Role, number> = { carry: 0.9, jungler: 1, captain: 1.15 };
const ASSISTING: Record<Role, number> = { carry: 0.42, jungler: 0.5, captain: 0.72 };
const FARMING: Record<Role, number> = { carry: 5.6, jungler: 4.8, captain: 1.5 };
const JUNGLING: Record<Role, number> = { carry: 0.12, jungler: 0.7, captain: 0.4 };
const PUSHING: Record<Role, number> = { carry: 1.5, jungler: 1, captain: 0.6 };

export function decide(random: Random, occasion: Occasion, sides: [Side, Side]): Verdict {
  const luck = random.normal() * 0.8;
  const lead = 1.4 * (mean(sides[0].seats) - mean(sides[1].seats)) + luck;
  const dominance = Math.min(1, Math.abs(lead) / 2.5);
  const winner = lead >= 0 ? 0 : 1;
  const { ending, duration } = occasion;
  if (ending) return { winner, dominance, ending, duration };
  if (!random.chance(0.08 + 0.35 * dominance)) {
    return { winner, dominance, ending: "victory", duration };
  }
  const cut = Math.max(250, Math.round(duration * random.between(0.6, 0.9)));
  return { winner, dominance, ending: "surrender", duration: cut };
}

/** The scores of both sides. The kills of one side equal the deaths of the other. */
export function score(
  random: Random,
  occasion: Occasion,
  sides: [Side, Side],
  verdict: Verdict,
): [Score, Score] {
  const killed = killings(random, occasion, verdict);
  const turret = turretsTaken(random, verdict);
  const kraken = krakensTaken(random, verdict);
  const afk = sides.map((side) => side.seats.map((seat) => leaves(random, occasion, seat)));
  const tally = (at: 0 | 1): Tally => {
    const { seats } = sides[at];
    const other = at === 0 ? 1 : 0;
    const present = (seat: number) => (afk[at]![seat] ? 0.3 : 1);
    return {
      killed: killed[at],
      turret: turret[at],
      kraken: kraken[at],
      kills: share(random, killed[at], seats, KILLING, 0.35, present),
      deaths: share(random, killed[other], seats, DYING, -0.25, () => 1),
      turrets: share(random, turret[at], seats, PUSHING, 0.1, present),
      krakens: share(random, kraken[at], seats, KILLING, 0.1, present),
    };
  };
  const [left, right] = [tally(0), tally(1)];
  const write = (at: 0 | 1, own: Tally, foe: Tally) =>
    sheet(random, occasion, sides[at].seats, verdict, at, own, foe, afk[at]!);
  return [write(0, left, right), write(1, right, left)];
}

function sheet(
  random: Random,
  occasion: Occasion,
  seats: Seat[],
  verdict: Verdict,
  at: 0 | 1,
  own: Tally,
  foe: Tally,
  afk: boolean[],
): Score {
  const minutes = verdict.duration / 60;
  const winner = verdict.winner === at;
  const lines = seats.map((seat, place) => {
    const { role } = seat.hero;
    const kills = own.kills[place]!;
    const helped = (own.killed - kills) * ASSISTING[role] * random.between(0.7, 1.3);
    const effort = (1 + 0.12 * seat.strength) * random.between(0.8, 1.2) * (afk[place] ? 0.5 : 1);
    const farm = Math.round(FARMING[role] * minutes * effort * 100) / 100;
    const jungling = occasion.jungle ? JUNGLING[role] * random.between(0.85, 1.15) : 0;
    return {
      kills,
      assists: Math.min(own.killed - kills, Math.round(helped)),
      farm,
      minionKills: Math.round(farm * 0.93),
      jungleKills: Math.round(farm * 0.93 * jungling),
      mines: occasion.jungle ? minutes / 5 : 0,
    };
  });
  const gold = purse(
    lines.map(({ kills, assists, farm }, place) => {
      const bounty = kills * 210 + assists * 95 + own.turret * 110 + (winner ? 300 : 0);
      return 500 + verdict.duration * 7.2 + farm * 26 + bounty + own.krakens[place]! * 250;
    }),
  );
  const participants = lines.map((line, place): JsonObject => {
    const seat = seats[place]!;
    const wentAfk = afk[place]!;
    return {
      assists: line.assists,
      crystalMineCaptures: random.int(0, Math.floor(line.mines / 2)),
      deaths: own.deaths[place]!,
      farm: line.farm,
      firstAfkTime: wentAfk ? random.int(60, verdict.duration - 30) : -1,
      gold: gold[place]!,
      goldMineCaptures: random.int(0, Math.floor(line.mines)),
      jungleKills: line.jungleKills,
      karmaLevel: seat.karmaLevel,
      kills: line.kills,
      krakenCaptures: own.krakens[place]!,
      level: seat.level,
      minionKills: line.minionKills,
      nonJungleMinionKills: line.minionKills - line.jungleKills,
      skillTier: seat.skillTier,
      skinKey: seat.bot ? `${seat.hero.name}_DefaultSkin` : skinOf(random, seat.hero),
      turretCaptures: own.turrets[place]!,
      wentAfk,
      winner,
      ...shop(random, seat.hero.build, gold[place]!, minutes),
    };
  });
  const roster: JsonObject = {
    acesEarned: Math.min(5, Math.floor((own.killed / seats.length) * random.unit() * 0.6)),
    gold: gold.reduce((sum, one) => sum + one, 0),
    heroKills: own.killed,
    krakenCaptures: own.kraken,
    side: at === 0 ? "left/blue" : "right/red",
    turretKills: own.turret,
    turretsRemaining: TURRETS - foe.turret,
  };
  return { roster, participants };
}

function killings(random: Random, occasion: Occasion, verdict: Verdict): [number, number] {
  const fights = (verdict.duration / 60) * occasion.pace * occasion.perSide * 0.37;
  const total = Math.round(fights * random.between(0.75, 1.25));
  const edge = 0.5 + 0.2 * verdict.dominance + random.normal() * 0.06;
  const winners = Math.round(total * Math.max(0.3, Math.min(0.9, edge)));
  return ordered(verdict, winners, total - winners);
}

function turretsTaken(random: Random, { ending, dominance, duration, winner }: Verdict) {
  const few = ending === "victory" ? TURRETS : 2 + Math.round(dominance * 2);
  const most = ending === "victory" || ending === "surrender" ? few : random.int(0, 1);
  const reach = Math.round(4 * (1 - dominance) * Math.min(1, duration / 1_200));
  const least = Math.max(0, Math.min(most - 1, random.int(0, reach)));
  return ordered({ winner }, most, least);
}

function krakensTaken(random: Random, { dominance, duration, winner }: Verdict) {
  const taken: [number, number] = [0, 0];
  for (let rises = 780; rises < duration; rises += 270) {
    const taker = random.chance(0.5 + 0.35 * dominance) ? 0 : 1;
    if (random.chance(0.7) && taken[taker] < 3) taken[taker]++;
  }
  return ordered({ winner }, ...taken);
}

function ordered({ winner }: { winner: 0 | 1 }, won: number, lost: number): [number, number] {
  return winner === 0 ? [won, lost] : [lost, won];
}

function leaves(random: Random, occasion: Occasion, seat: Seat): boolean {
  if (seat.bot) return false;
  return random.chance(occasion.ending === "notenoughplayers" ? 0.4 : 0.015);
}

/** Distributes an integer over the seats, by role and strength. */
function share(
  random: Random,
  total: number,
  seats: Seat[],
  byRole: Record<Role, number>,
  byStrength: number,
  present: (place: number) => number,
): number[] {
  const weights = seats.map(
    (seat, place) =>
      byRole[seat.hero.role] *
      Math.exp(byStrength * seat.strength) *
      random.between(0.6, 1.4) *
      present(place),
  );
  const dealt = seats.map(() => 0);
  for (let left = total; left > 0; left--) dealt[random.weighted(weights)]!++;
  return dealt;
}

/** Gold in quarters, as in the game, with an integer sum: the gold of a roster is an integer. */
function purse(amounts: number[]): number[] {
  const quarters = amounts.map((amount) => Math.round(amount * 4));
  const sum = quarters.reduce((total, one) => total + one, 0);
  quarters[0]! -= sum % 4;
  return quarters.map((one) => one / 4);
}

function mean(seats: Seat[]): number {
  return seats.reduce((sum, seat) => sum + seat.strength, 0) / seats.length;
}
