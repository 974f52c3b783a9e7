/**
 * Stats that are not on the scoreboard, including unknown ones. Single values are shown in a table; lists and
 * objects are shown per participant.
 */

import { anyValue, type Pair, type Stats } from "../../format.ts";
import type { Member } from "../../match.ts";
import { statName } from "../../names.ts";

/** Stats of a participant that the scoreboard shows. */
const ON_SCOREBOARD = new Set([
  "kills",
  "deaths",
  "assists",
  "gold",
  "farm",
  "level",
  "items",
  "skillTier",
  "winner",
]);

/** One row per stat, with one text per participant in the order of `members`. */
interface StatRow {
  key: string;
  name: string;
  texts: string[];
}

/** Extra single values of all participants, sorted by name. */
export function extraStats(members: readonly Member[]): StatRow[] {
  const keys = new Set<string>();
  for (const { stats } of members) {
    for (const [key, value] of extra(stats)) if (!isCompound(value)) keys.add(key);
  }
  const rows = [...keys].map((key) => ({
    key,
    name: statName(key),
    texts: members.map((member) => textOf(member, key)),
  }));
  return rows.sort((one, other) => one.name.localeCompare(other.name, "en"));
}

/** Leaves the hero's name out of the skin, since the hero is shown next to it. */
function textOf({ stats, skin }: Member, key: string): string {
  if (key === "skinKey" && skin !== undefined) return skin;
  return anyValue(Object.hasOwn(stats, key) ? stats[key] : undefined, key);
}

/** Extra lists and objects of a participant, such as items bought and used. */
export function extraLists({ stats }: Member): Pair[] {
  return extra(stats)
    .filter(([, value]) => isCompound(value))
    .map(([key, value]) => named(key, value));
}

/** Every value except those of the `known` keys. */
export function otherValues(values: Stats, known: readonly string[] = []): Pair[] {
  return Object.entries(values)
    .filter(([key]) => !known.includes(key))
    .map(([key, value]) => named(key, value))
    .sort((one, other) => one.name.localeCompare(other.name, "en"));
}

const extra = (stats: Stats): [string, unknown][] =>
  Object.entries(stats).filter(
    ([key, value]) => !ON_SCOREBOARD.has(key) || isUnexpected(key, value),
  );

const named = (key: string, value: unknown): Pair => ({
  key,
  name: statName(key),
  text: anyValue(value, key),
});

const isCompound = (value: unknown): boolean => typeof value === "object" && value !== null;

/** The scoreboard skips values of an unexpected type, so they are shown here. */
function isUnexpected(key: string, value: unknown): boolean {
  if (key === "items") return !isListOfStrings(value);
  return typeof value !== (key === "winner" ? "boolean" : "number");
}

const isListOfStrings = (value: unknown): boolean =>
  Array.isArray(value) && value.every((one) => typeof one === "string");
