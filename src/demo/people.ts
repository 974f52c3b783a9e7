/**
 * The players and teams of a shard. The time of the latest match of each player and the number of matches are stored;
 * everything else is derived from the seed, the shard and the index of the player. A shard has half as many players as matches, from
 * 80 to 200,000.
 */

import type { JsonObject } from "../domain/json.ts";
import type { Calendar, Patch } from "./calendar.ts";
import { isGuest, playerName, teamTag } from "./names.ts";
import { Random, wordOf } from "./random.ts";
import type { Region } from "./regions.ts";

/** Who may play in a match. Casuals never play ranked; regulars are all others. */
export type Circle = "anyone" | "regulars" | "casuals";

export interface Person {
  id: string;
  name: string;
  skill: number;
  skillTier: number;
  level: number;
  karmaLevel: number;
  taste: number;
  stats: JsonObject;
}

export interface Team {
  id: string;
  tag: string;
  members: number[];
}

// Players in order of activity form blocks; the last of each block is a casual.
const BLOCK = 8;
const LEAST_PLAYERS = 80;
const MOST_PLAYERS = 200_000;
const HEAD = 150;
const TRIES = 24;
/** The average of a match, over all modes. */
const LEAST_GOLD = 10_000;
const MOST_GOLD = 12_000;

const PLAYER = wordOf("player");
const NAME = wordOf("name");
const TEAM = wordOf("team");

export class Population {
  readonly #shardWord: number;
  readonly #teamSpacing: number;
  readonly #freeFrom: Float64Array;
  /** Matches of each player so far. */
  readonly #played: Uint32Array;

  constructor(
    private readonly seed: number,
    readonly region: Region,
    private readonly calendar: Calendar,
    expectedMatches: number,
  ) {
    this.#shardWord = wordOf(region.shard);
    // In a tournament everybody belongs to a team, elsewhere one block in five.
    this.#teamSpacing = region.tournament ? 1 : 5;
    const players = Math.min(MOST_PLAYERS, Math.max(LEAST_PLAYERS, expectedMatches / 2));
    this.#freeFrom = new Float64Array(Math.ceil(players / 40) * 40);
    this.#played = new Uint32Array(this.#freeFrom.length);
  }

  /** Reserves a free player from `start` to `end`; undefined if none is found. */
  seat(random: Random, circle: Circle, start: number, end: number): number | undefined {
    for (let left = TRIES; left > 0; left--) {
      const player = this.#draw(random, circle);
      if (this.#take(player, start, end)) return player;
    }
    return undefined;
  }

  /** Reserves `size` members of one team; undefined if too few are free, or if the team is `rival`. */
  seatTeam(
    random: Random,
    size: number,
    start: number,
    end: number,
    rival?: Team,
  ): Team | undefined {
    const drawn = Math.floor(this.#draw(random, "anyone") / BLOCK);
    const block = drawn - (drawn % this.#teamSpacing);
    const free: number[] = [];
    for (let at = 0; at < BLOCK - 1; at++) {
      const member = block * BLOCK + at;
      if (this.#freeFrom[member]! <= start) free.push(member);
    }
    if (free.length < size) return undefined;
    while (free.length > size) free.splice(random.int(0, free.length - 1), 1);
    const badge = new Random(this.seed, this.#shardWord, TEAM, block);
    const id = badge.uuid();
    if (id === rival?.id) return undefined;
    for (const member of free) this.#take(member, start, end);
    return { id, tag: teamTag(badge), members: free };
  }

  /** The player at the time of the latest match, which is reserved. */
  person(player: number, time: number, patch: Patch): Person {
    const random = new Random(this.seed, this.#shardWord, PLAYER, player);
    const id = random.uuid();
    const name = this.#nameOf(player, time, random);
    const rank = player / this.#freeFrom.length;
    const skill = random.normal() * 0.8 + 0.6 * (0.5 - rank);
    const casual = isCasual(player);
    const climbed = random.between(-1, 2) * this.calendar.shareOf(time);
    const skillTier = casual ? -1 : clamp(Math.round(12 + skill * 7 + climbed), 0, 29);
    const xp = Math.round(
      (random.between(200, 90_000) + 9_000 * this.calendar.shareOf(time)) * (1.3 - rank),
    );
    const level = clamp(1 + Math.floor(Math.sqrt(xp / 110)), 1, 30);
    const karmaLevel = random.weighted([1, 7, 4]);
    const taste = random.int(0, 999);
    const stats: JsonObject = { level, xp, karmaLevel, skillTier };
    if (random.chance(0.03) && !casual) this.#addHistory(stats, random, player);
    this.#addSeasons(stats, random, skill, time, patch, casual);
    return { id, name, skill, skillTier, level, karmaLevel, taste, stats };
  }

  /** Low indexes are drawn most often: a power law with a flattened head, so that nobody plays all day. */
  #draw(random: Random, circle: Circle): number {
    const rank = ((HEAD + 1) ** random.unit() - 1) / HEAD;
    const player = Math.min(this.#freeFrom.length - 1, Math.floor(rank * this.#freeFrom.length));
    if (circle === "casuals") return player - (player % BLOCK) + BLOCK - 1;
    return circle === "regulars" && isCasual(player) ? player - 1 : player;
  }

  #take(player: number, start: number, end: number): boolean {
    if (this.#freeFrom[player]! > start) return false;
    this.#freeFrom[player] = end;
    this.#played[player]! += 1;
    return true;
  }

  #nameOf(player: number, time: number, random: Random): string {
    // A name can be reused after a rename, so several ids can have the same name.
    const namesake = random.chance(0.005) ? player ^ 1 : player;
    const renamed = random.unit();
    const moment = random.unit();
    const first = this.#newName(namesake, true);
    const renames = renamed < (isGuest(first) ? 0.3 : 0.04);
    if (!renames || this.calendar.shareOf(time) < moment) return first;
    return this.#newName(player, false);
  }

  #newName(player: number, first: boolean): string {
    const random = new Random(this.seed, this.#shardWord, NAME, player, first ? 0 : 1);
    return playerName(random, this.region.scripts, player, first);
  }

  #addSeasons(
    stats: JsonObject,
    random: Random,
    skill: number,
    time: number,
    patch: Patch,
    casual: boolean,
  ): void {
    const joined = casual ? Number.POSITIVE_INFINITY : random.int(1, 8);
    const progress = 0.6 + 0.4 * Math.min(1, this.calendar.seasonProgress(time) * 2);
    for (let season = 1; season <= patch.season; season++) {
      const earned = rating(skill + random.normal() * 0.3);
      const share = season < joined ? 0 : season < patch.season ? 1 : progress;
      stats[`elo_earned_season_${season}`] = Math.round(earned * share);
    }
  }

  /** Some records contain totals from before the thirty days; for most they are computed. */
  #addHistory(stats: JsonObject, random: Random, player: number): void {
    const played = random.int(300, 4_000) + this.#played[player]!;
    stats.played = played;
    stats.wins = Math.floor(played * random.between(0.42, 0.58));
    stats.played_ranked = Math.floor(played * random.between(0.2, 0.7));
    stats.lifetimeGold = played * random.int(LEAST_GOLD, MOST_GOLD);
  }
}

function isCasual(player: number): boolean {
  return player % BLOCK === BLOCK - 1;
}

function rating(skill: number): number {
  return clamp(Math.round(1_400 + skill * 480), 100, 3_600);
}

function clamp(value: number, least: number, most: number): number {
  return Math.max(least, Math.min(most, value));
}
