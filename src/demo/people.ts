/**
 * The players and teams of a shard. The time of the latest match of each player and the number of matches are stored;
 * everything else is derived from the seed, the shard and the index of the player. A shard has half as many players as
 * matches, from 80 to 200,000.
 */

import type { JsonObject } from "../domain/json.ts";
import { playerName, teamTag } from "./names.ts";
import type { Patch } from "./patches.ts";
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
/** Gold per match, on average over all modes. */
const USUAL_GOLD = 11_000;

const PLAYER = wordOf("player");
const NAME = wordOf("name");
const TEAM = wordOf("team");

export class Population {
  readonly #shardWord: number;
  readonly #freeFrom: Float64Array;
  /** Matches of each player so far. */
  readonly #played: Uint32Array;

  constructor(
    private readonly seed: number,
    readonly region: Region,
    expectedMatches: number,
  ) {
    this.#shardWord = wordOf(region.shard);
    const players = clamp(expectedMatches / 2, LEAST_PLAYERS, MOST_PLAYERS);
    this.#freeFrom = new Float64Array(Math.ceil(players / 40) * 40);
    this.#played = new Uint32Array(this.#freeFrom.length);
  }

  /** Reserves a free player from `start` to `end`; undefined if none is found. */
  seat(random: Random, circle: Circle, start: number, end: number): number | undefined {
    for (let left = TRIES; left > 0; left--) {
      const player = this.#draw(random, circle);
      if (this.#freeFrom[player]! > start) continue;
      this.#take(player, end);
      return player;
    }
    return undefined;
  }

  /** Reserves `size` members of one team; undefined if too few are free, or if the team is `rival`. */
  seatTeam(random: Random, size: number, start: number, end: number, rival?: Team) {
    const drawn = Math.floor(this.#draw(random, "anyone") / BLOCK);
    // In a tournament everybody belongs to a team, elsewhere one block in five.
    const block = drawn - (drawn % (this.region.tournament ? 1 : 5));
    const members = Array.from({ length: BLOCK - 1 }, (_, at) => block * BLOCK + at).filter(
      (member) => this.#freeFrom[member]! <= start,
    );
    const badge = new Random(this.seed, this.#shardWord, TEAM, block);
    const team: Team = { id: badge.uuid(), tag: teamTag(badge), members };
    if (members.length < size || team.id === rival?.id) return undefined;
    while (members.length > size) members.splice(random.int(0, members.length - 1), 1);
    for (const member of members) this.#take(member, end);
    return team;
  }

  /** The player in the latest match, which is reserved, after this share of the thirty days. */
  person(player: number, share: number, patch: Patch): Person {
    const random = new Random(this.seed, this.#shardWord, PLAYER, player);
    const id = random.uuid();
    const name = this.#nameOf(player, share, random);
    const rank = player / this.#freeFrom.length;
    const skill = random.normal() * 0.8 + 0.6 * (0.5 - rank);
    const casual = isCasual(player);
    const climbed = random.between(-1, 2) * share;
    const skillTier = casual ? -1 : clamp(Math.round(12 + skill * 7 + climbed), 0, 29);
    const xp = Math.round((random.between(200, 90_000) + 9_000 * share) * (1.3 - rank));
    const level = clamp(1 + Math.floor(Math.sqrt(xp / 110)), 1, 30);
    const karmaLevel = random.weighted([1, 7, 4]);
    const taste = random.int(0, 999);
    const stats: JsonObject = { level, xp, karmaLevel, skillTier };
    if (random.chance(0.03) && !casual) this.#addHistory(stats, random, player);
    const joined = casual ? Number.POSITIVE_INFINITY : random.int(1, 8);
    for (let season = 1; season <= patch.season; season++) {
      const earned = clamp(Math.round(1_400 + (skill + random.normal() * 0.3) * 480), 100, 3_600);
      stats[`elo_earned_season_${season}`] = season < joined ? 0 : earned;
    }
    return { id, name, skill, skillTier, level, karmaLevel, taste, stats };
  }

  /** Low indexes are drawn most often: a power law with a flattened head, so that nobody plays all day. */
  #draw(random: Random, circle: Circle): number {
    const rank = ((HEAD + 1) ** random.unit() - 1) / HEAD;
    const player = Math.min(this.#freeFrom.length - 1, Math.floor(rank * this.#freeFrom.length));
    if (circle === "casuals") return player - (player % BLOCK) + BLOCK - 1;
    return circle === "regulars" && isCasual(player) ? player - 1 : player;
  }

  #take(player: number, end: number): void {
    this.#freeFrom[player] = end;
    this.#played[player]! += 1;
  }

  /** Some rename at some time. A name can be reused after that, so several ids can have the same name. */
  #nameOf(player: number, share: number, random: Random): string {
    const namesake = random.chance(0.005) ? player ^ 1 : player;
    const renamesAt = random.chance(0.06) ? random.unit() : 1;
    const isFirst = share < renamesAt;
    const own = new Random(this.seed, this.#shardWord, NAME, isFirst ? namesake : player, +isFirst);
    return playerName(own, this.region.scripts, player, isFirst);
  }

  /** Some records contain totals from before the thirty days; for most they are computed. */
  #addHistory(stats: JsonObject, random: Random, player: number): void {
    const played = random.int(300, 4_000) + this.#played[player]!;
    stats.played = played;
    stats.wins = Math.floor(played * random.between(0.42, 0.58));
    stats.played_ranked = Math.floor(played * random.between(0.2, 0.7));
    stats.lifetimeGold = played * USUAL_GOLD;
  }
}

function isCasual(player: number): boolean {
  return player % BLOCK === BLOCK - 1;
}

function clamp(value: number, least: number, most: number): number {
  return Math.max(least, Math.min(most, value));
}
