/**
 * The players and teams of a shard, derived from the seed, the shard and the number of the player. A shard has half as
 * many players as matches, from 80 to 200,000.
 */

import type { JsonObject } from "../domain/json.ts";
import { playerName, type ScriptWeights, teamTag } from "./names.ts";
import { Random } from "./random.ts";

/** Who may play in a match. Casuals never play ranked; regulars are all others. */
export type Circle = "anyone" | "regulars" | "casuals";

export interface Person {
  id: string;
  name: string;
  skill: number;
  taste: number;
  stats: { level: number; xp: number; karmaLevel: number; skillTier: number } & JsonObject;
}

export interface Team {
  id: string;
  tag: string;
  members: number[];
}

/** The shards of the demo: their share of matches, and how common names of each script are. */
const PROFILES: Readonly<Record<string, [weight: number, ...scripts: ScriptWeights]>> = {
  na: [34, 94, 2, 1, 2, 1],
  eu: [24, 84, 1, 1, 1, 13],
  sa: [10, 94, 2, 1, 2, 1],
  sg: [9, 78, 14, 3, 4, 1],
  cn: [10, 18, 80, 1, 1, 0],
  ea: [10, 38, 4, 32, 26, 0],
  "tournament-na": [3, 94, 2, 1, 2, 1],
};

export const DEMO_SHARDS: readonly string[] = Object.keys(PROFILES);

const profileOf = (shard: string) => PROFILES[shard] ?? PROFILES.sa!;
/** The share of a shard in all matches, relative to the others. */
export const weightOf = (shard: string): number => profileOf(shard)[0];
export const isTournament = (shard: string): boolean => shard.startsWith("tournament-");

// Players in order of activity form blocks; the last of each block is a casual.
const BLOCK = 8;
const HEAD = 150;
const TRIES = 24;
const FIRST_SEASON = 1;
const LAST_SEASON = 9;

export class Population {
  readonly #players: number;

  constructor(
    private readonly seed: number,
    readonly shard: string,
    expectedMatches: number,
  ) {
    this.#players = clamp(Math.round(expectedMatches / (2 * BLOCK)), 10, 25_000) * BLOCK;
  }

  /** A player who is not in this match yet; undefined if none is found. */
  seat(random: Random, circle: Circle, taken: Set<number>): number | undefined {
    for (let left = TRIES; left > 0; left--) {
      const player = this.#draw(random, circle);
      if (taken.has(player)) continue;
      taken.add(player);
      return player;
    }
    return undefined;
  }

  /** Some members of one team; undefined if it is in this match, or if the players drawn have none. */
  seatTeam(random: Random, size: number, taken: Set<number>): Team | undefined {
    const block = Math.floor(this.#draw(random, "anyone") / BLOCK);
    const all = Array.from({ length: BLOCK - 1 }, (_, at) => block * BLOCK + at);
    if (all.some((member) => taken.has(member))) return undefined;
    const from = random.int(0, all.length - size);
    const members = all.slice(from, from + size);
    for (const member of members) taken.add(member);
    const badge = new Random(this.seed, this.shard, "team", block);
    return { id: badge.uuid(), tag: teamTag(badge), members };
  }

  /** The record of a player after this share of the thirty days. */
  person(player: number, share: number, hasNewSeason: boolean): Person {
    const random = new Random(this.seed, this.shard, "player", player);
    const id = random.uuid();
    const name = this.#nameOf(player, share, random);
    const rank = player / this.#players;
    const skill = random.normal() * 0.8 + 0.6 * (0.5 - rank);
    const climbed = random.between(-1, 2) * share;
    const xp = Math.round((random.between(200, 90_000) + 9_000 * share) * (1.3 - rank));
    const stats: Person["stats"] = {
      level: clamp(1 + Math.floor(Math.sqrt(xp / 110)), 1, 30),
      xp,
      karmaLevel: random.weighted([1, 7, 4]),
      skillTier: isCasual(player) ? -1 : clamp(Math.round(12 + skill * 7 + climbed), 0, 29),
    };
    const taste = random.int(0, 999);
    const seasons = hasNewSeason ? LAST_SEASON : LAST_SEASON - 1;
    for (let season = FIRST_SEASON; season <= seasons; season++) {
      const earned = clamp(Math.round(1_400 + (skill + random.normal() * 0.3) * 480), 100, 3_600);
      stats[`elo_earned_season_${season}`] = isCasual(player) ? 0 : earned;
    }
    return { id, name, skill, taste, stats };
  }

  /** Low numbers are drawn most often: a power law with a flattened head, so that nobody plays all day. */
  #draw(random: Random, circle: Circle): number {
    const rank = ((HEAD + 1) ** random.unit() - 1) / HEAD;
    const player = Math.min(this.#players - 1, Math.floor(rank * this.#players));
    if (circle === "casuals") return player - (player % BLOCK) + BLOCK - 1;
    return circle === "regulars" && isCasual(player) ? player - 1 : player;
  }

  /** Some rename at some time. A name can be reused after that, so several ids can have the same name. */
  #nameOf(player: number, share: number, random: Random): string {
    const namesake = random.chance(0.005) ? player ^ 1 : player;
    const renamesAt = random.chance(0.06) ? random.unit() : 1;
    const isFirst = share < renamesAt;
    const own = new Random(this.seed, this.shard, "name", isFirst ? namesake : player, +isFirst);
    const [, ...scripts] = profileOf(this.shard);
    return playerName(own, scripts, player, isFirst);
  }
}

const isCasual = (player: number): boolean => player % BLOCK === BLOCK - 1;

function clamp(value: number, least: number, most: number): number {
  return Math.max(least, Math.min(most, value));
}
