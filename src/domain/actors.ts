/** Statistics of actors (the characters that are played): what a match adds to them, and the table that is served. */

import { type JsonObject, type Resource, ResourceIndex, references } from "./json.ts";
import { GAME_MODES, PRIVATE_MODE } from "./modes.ts";

/** Longer names would let a few records fill the table. */
export const MAX_ACTOR_LENGTH = 128;

/** What is added up of each participation. */
export const ACTOR_STATS = ["kills", "deaths", "assists", "gold", "farm"] as const;
export type ActorStatName = (typeof ACTOR_STATS)[number];

/** A participation in a match. */
export interface ActorPart extends Record<ActorStatName, number> {
  actor: string;
  won: boolean;
}

/** The actor of the rows that count the matches themselves. No participant has this name. */
export const ALL_MATCHES = "";

export interface ActorKey {
  gameMode: string;
  patchVersion: string;
  actor: string;
}

/** Sums over participations. Stats are in integer millionths, so that they do not depend on the order. */
export interface ActorSums extends Record<ActorStatName, bigint> {
  picks: number;
  wins: number;
}

export interface ActorTotals extends ActorKey, ActorSums {
  /** Whether this is the part of matches that were pruned. */
  isPruned: boolean;
}

const UNIT = 1_000_000;

/** The modes whose matches count. */
export const COUNTED_MODES: readonly string[] = GAME_MODES.filter((mode) => mode !== PRIVATE_MODE);

/** The participants of the two rosters. Those whose actor has no usable name are left out. */
export function actorParts({ match, own }: { match: Resource; own: Resource[] }): ActorPart[] {
  if (match.attributes.gameMode === PRIVATE_MODE) return [];
  const index = new ResourceIndex(own);
  const parts: ActorPart[] = [];
  for (const named of references(match.relationships?.rosters)) {
    const roster = index.get(named)!;
    const won = roster.attributes.won === "true";
    for (const reference of references(roster.relationships?.participants)) {
      const { actor, stats } = index.get(reference)!.attributes as {
        actor: string;
        stats: JsonObject;
      };
      if (!isCountedActor(actor)) continue;
      parts.push({
        actor,
        won,
        kills: numberIn(stats.kills),
        deaths: numberIn(stats.deaths),
        assists: numberIn(stats.assists),
        gold: numberIn(stats.gold),
        farm: numberIn(stats.farm),
      });
    }
  }
  return parts;
}

/** Databases cannot store U+0000. */
const isCountedActor = (actor: string): boolean =>
  actor !== ALL_MATCHES && actor.length <= MAX_ACTOR_LENGTH && !actor.includes("\0");

const numberIn = (value: unknown): number => (typeof value === "number" ? value : 0);

const micro = (value: number): bigint => (value === 0 ? 0n : BigInt(Math.round(value * UNIT)));

/** What of a match is counted. */
export interface CountedMatch {
  gameMode: string;
  patchVersion: string;
  actors: readonly ActorPart[];
}

/** Adds up what matches contribute, and what is removed with them. */
export class ActorTally {
  /** By everything else in the key, then by actor. */
  readonly #groups = new Map<string, Map<string, ActorTotals>>();

  add({ gameMode, patchVersion, actors }: CountedMatch, times: 1 | -1, isPruned = false): void {
    if (gameMode === PRIVATE_MODE) return;
    const group = this.#group(gameMode, patchVersion, isPruned);
    const sumOf = (actor: string): ActorTotals => {
      const known = group.get(actor);
      if (known) return known;
      const sums = { gameMode, patchVersion, actor, isPruned, ...NOTHING };
      group.set(actor, sums);
      return sums;
    };
    sumOf(ALL_MATCHES).picks += times;
    const sign = BigInt(times);
    for (const part of actors) {
      const sum = sumOf(part.actor);
      sum.picks += times;
      if (part.won) sum.wins += times;
      for (const name of ACTOR_STATS) if (part[name] !== 0) sum[name] += sign * micro(part[name]);
    }
  }

  #group(gameMode: string, patchVersion: string, isPruned: boolean): Map<string, ActorTotals> {
    const key = `${isPruned} ${gameMode}\0${patchVersion}`;
    const group = this.#groups.get(key) ?? new Map<string, ActorTotals>();
    this.#groups.set(key, group);
    return group;
  }

  /** One for each key, without those that add nothing. */
  totals(): ActorTotals[] {
    return [...this.#groups.values()]
      .flatMap((group) => [...group.values()])
      .filter((sums) => !isNothing(sums));
  }
}

export const NOTHING: ActorSums = {
  picks: 0,
  wins: 0,
  kills: 0n,
  deaths: 0n,
  assists: 0n,
  gold: 0n,
  farm: 0n,
};

export const isNothing = (sums: ActorSums): boolean =>
  sums.picks === 0 && sums.wins === 0 && ACTOR_STATS.every((name) => sums[name] === 0n);

export function addSums<T extends ActorSums>(sums: T, more: ActorSums): T {
  const added = { ...sums, picks: sums.picks + more.picks, wins: sums.wins + more.wins };
  for (const name of ACTOR_STATS) Object.assign(added, { [name]: sums[name] + more[name] });
  return added;
}

export const areSameSums = (one: ActorSums, other: ActorSums): boolean =>
  one.picks === other.picks &&
  one.wins === other.wins &&
  ACTOR_STATS.every((name) => one[name] === other[name]);

/** What is served of an actor, besides its name. */
export const ACTOR_ATTRIBUTES = ["matches", "wins", "winRate", "pickRate", ...ACTOR_STATS] as const;

/** Rates have 4 decimals. Stats are averages per participation, with 2. */
export interface ActorSummary extends Record<(typeof ACTOR_ATTRIBUTES)[number], number> {
  actor: string;
}

/** "-" for descending order. Equal ones follow by actor. */
export type ActorSort = `${"" | "-"}${keyof ActorSummary}`;

export const ACTOR_SORTS = [...ACTOR_ATTRIBUTES, "actor"].flatMap((name) => [
  name,
  `-${name}`,
]) as ActorSort[];

export interface ActorTable {
  /** All matches that were counted. */
  matches: number;
  actors: ActorSummary[];
}

/** A row without the one that counts the matches of its mode and patch, so that rates would be wrong. */
export function uncounted(rows: readonly ActorTotals[]): ActorTotals | undefined {
  const groupOf = ({ gameMode, patchVersion, isPruned }: ActorTotals) =>
    `${gameMode}\0${patchVersion}\0${isPruned}`;
  const counted = new Set(rows.filter(({ actor }) => actor === ALL_MATCHES).map(groupOf));
  return rows.find((row) => !counted.has(groupOf(row)));
}

/** Adds up rows of any modes and patches, pruned or not. */
export function actorTable(rows: Iterable<ActorTotals>, sort: ActorSort): ActorTable {
  const sums = new Map<string, ActorSums>();
  for (const row of rows) sums.set(row.actor, addSums(sums.get(row.actor) ?? NOTHING, row));
  const matches = sums.get(ALL_MATCHES)?.picks ?? 0;
  sums.delete(ALL_MATCHES);
  const actors = [...sums].map(([actor, sum]) => summaryOf(actor, sum, matches));
  return { matches, actors: actors.sort(inOrder(sort)) };
}

function summaryOf(actor: string, sums: ActorSums, matches: number): ActorSummary {
  const { picks, wins } = sums;
  const average = (sum: bigint) => rounded(Number(sum) / UNIT / picks, 2);
  return {
    actor,
    matches: picks,
    wins,
    winRate: rounded(wins / picks, 4),
    pickRate: rounded(picks / matches, 4),
    kills: average(sums.kills),
    deaths: average(sums.deaths),
    assists: average(sums.assists),
    gold: average(sums.gold),
    farm: average(sums.farm),
  };
}

/** Without a negative zero, which JSON would write as 0. */
const rounded = (value: number, decimals: number): number =>
  Math.round(value * 10 ** decimals) / 10 ** decimals || 0;

function inOrder(sort: ActorSort): (one: ActorSummary, other: ActorSummary) => number {
  const isDescending = sort.startsWith("-");
  const name = sort.replace("-", "") as keyof ActorSummary;
  return (one, other) => {
    const [a, b] = isDescending ? [other[name], one[name]] : [one[name], other[name]];
    if (a !== b) return a < b ? -1 : 1;
    return one.actor < other.actor ? -1 : 1;
  };
}
