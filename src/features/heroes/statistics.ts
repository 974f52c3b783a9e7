/** Statistics of heroes (records call them actors): what a match adds to them, and the table that is served. */

import type { JsonObject, Resource } from "../../domain/json.ts";
import { type MatchFacts, rostersOf } from "../../domain/match.ts";
import { PRIVATE_MODE } from "../../domain/modes.ts";

/** Longer names would let a few records fill the table. */
export const MAX_HERO_LENGTH = 128;

/** What is added up of each participation. */
export const HERO_STAT_NAMES = ["kills", "deaths", "assists", "gold", "farm"] as const;
export type HeroStatName = (typeof HERO_STAT_NAMES)[number];

/** A participation in a match, with the stats in the order of their names. A list, because it is stored with each record. */
export type HeroPart = [hero: string, won: boolean, stats: number[]];

/** The hero of the rows that count the matches themselves. No participant has this name. */
export const ALL_MATCHES = "";

/** Sums over participations. Stats are in integer millionths, so that they do not depend on the order. */
export interface HeroSums extends Record<HeroStatName, bigint> {
  picks: number;
  wins: number;
}

/** As in the table. */
export interface HeroTotals extends HeroSums {
  game_mode: string;
  patch_version: string;
  hero: string;
  /** 1: the part of matches that were pruned. */
  is_pruned: number;
}

const UNIT = 1_000_000;

/** The participants of the two rosters. Those whose hero has no usable name are left out. */
export function heroParts(record: { match: Resource; own: Resource[] }): HeroPart[] {
  if (record.match.attributes.gameMode === PRIVATE_MODE) return [];
  const parts: HeroPart[] = [];
  for (const { won, participants } of rostersOf(record)) {
    for (const { attributes } of participants) {
      const { actor: hero, stats } = attributes as { actor: string; stats: JsonObject };
      if (!isCountedHero(hero)) continue;
      parts.push([hero, won, HERO_STAT_NAMES.map((name) => numberIn(stats[name]))]);
    }
  }
  return parts;
}

/** Databases cannot store U+0000. */
const isCountedHero = (hero: string): boolean =>
  hero !== ALL_MATCHES && hero.length <= MAX_HERO_LENGTH && !hero.includes("\0");

const numberIn = (value: unknown): number => (typeof value === "number" ? value : 0);

/** The member of an outline that has what a match adds. */
export const PART = "heroes";

/** What of a match is counted. */
type CountedMatch = MatchFacts & { parts: Readonly<Record<string, unknown>> };

/** What matches add (1) or take away (-1): one row for each key, without those that change nothing. */
export function addUp(
  changes: Iterable<readonly [match: CountedMatch, times: 1 | -1]>,
  is_pruned = 0,
): HeroTotals[] {
  const groups = new Map<string, Map<string, HeroTotals>>();
  for (const [{ gameMode, patchVersion, parts }, times] of changes) {
    if (gameMode === PRIVATE_MODE) continue;
    const name = `${gameMode}\0${patchVersion}`;
    const group = groups.get(name) ?? new Map<string, HeroTotals>();
    groups.set(name, group);
    const key = { game_mode: gameMode, patch_version: patchVersion, is_pruned };
    for (const [hero, won, stats] of [THE_MATCH, ...(parts[PART] as HeroPart[])]) {
      const sum = group.get(hero) ?? { ...key, hero, ...NOTHING };
      group.set(hero, sum);
      sum.picks += times;
      if (won) sum.wins += times;
      for (const [at, name] of HERO_STAT_NAMES.entries())
        if (stats[at]) sum[name] += BigInt(times * Math.round(stats[at] * UNIT));
    }
  }
  const all = [...groups.values()].flatMap((group) => [...group.values()]);
  return all.filter((sums) => !isNothing(sums));
}

const THE_MATCH: HeroPart = [ALL_MATCHES, false, []];

/** A value for each stat. */
export const ofStats = <T>(of: (name: HeroStatName) => T): Record<HeroStatName, T> =>
  Object.fromEntries(HERO_STAT_NAMES.map((name) => [name, of(name)])) as Record<HeroStatName, T>;

export const NOTHING: HeroSums = { picks: 0, wins: 0, ...ofStats(() => 0n) };

export const isNothing = (sums: HeroSums): boolean =>
  sums.picks === 0 && sums.wins === 0 && HERO_STAT_NAMES.every((name) => sums[name] === 0n);

export const addSums = <T extends HeroSums>(sums: T, more: HeroSums): T => ({
  ...sums,
  picks: sums.picks + more.picks,
  wins: sums.wins + more.wins,
  ...ofStats((name) => sums[name] + more[name]),
});

/** What is served of a hero, besides its name. */
const HERO_ATTRIBUTES = ["matches", "wins", "winRate", "pickRate", ...HERO_STAT_NAMES] as const;

/** Rates have 4 decimals. Stats are averages per participation, with 2. */
export interface HeroSummary extends Record<(typeof HERO_ATTRIBUTES)[number], number> {
  hero: string;
}

/** "-" for descending order. Equal ones follow by hero. */
export type HeroSort = `${"" | "-"}${keyof HeroSummary}`;

export const HERO_SORTS = [...HERO_ATTRIBUTES, "hero"].flatMap((name) => [
  name,
  `-${name}`,
]) as HeroSort[];

/** Names have no U+0000. */
export const keyOf = (
  { game_mode, patch_version, is_pruned, hero }: Omit<HeroTotals, keyof HeroSums>,
  name = hero,
): string => `${game_mode}\0${patch_version}\0${name}\0${is_pruned}`;

/** A row without the one that counts the matches of its mode and patch, so that rates would be wrong. */
export function uncounted(rows: readonly HeroTotals[]): HeroTotals | undefined {
  const keys = new Set(rows.map((row) => keyOf(row)));
  return rows.find((row) => !keys.has(keyOf(row, ALL_MATCHES)));
}

/** Adds up rows of any modes and patches, pruned or not. `matches`: all that were counted. */
export function heroTable(rows: Iterable<HeroTotals>, sort: HeroSort) {
  const sums = new Map<string, HeroSums>();
  for (const row of rows) sums.set(row.hero, addSums(sums.get(row.hero) ?? NOTHING, row));
  const matches = sums.get(ALL_MATCHES)?.picks ?? 0;
  sums.delete(ALL_MATCHES);
  const heroes = [...sums].map(([hero, sum]) => summaryOf(hero, sum, matches));
  return { matches, heroes: heroes.sort(inOrder(sort)) };
}

function summaryOf(hero: string, sums: HeroSums, matches: number): HeroSummary {
  const { picks, wins } = sums;
  return {
    hero,
    matches: picks,
    wins,
    winRate: rounded(wins / picks, 4),
    pickRate: rounded(picks / matches, 4),
    ...ofStats((name) => rounded(Number(sums[name]) / UNIT / picks, 2)),
  };
}

/** Without a negative zero, which JSON would write as 0. */
const rounded = (value: number, decimals: number): number =>
  Math.round(value * 10 ** decimals) / 10 ** decimals || 0;

function inOrder(sort: HeroSort): (one: HeroSummary, other: HeroSummary) => number {
  const isDescending = sort.startsWith("-");
  const name = sort.replace("-", "") as keyof HeroSummary;
  return (one, other) => {
    const [a, b] = isDescending ? [other[name], one[name]] : [one[name], other[name]];
    if (a !== b) return a < b ? -1 : 1;
    return one.hero < other.hero ? -1 : 1;
  };
}
