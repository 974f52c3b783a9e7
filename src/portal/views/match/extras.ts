/**
 * In charge of what a record carries beside the figures of the scoreboard: keys of open sets that
 * nobody foresaw are shown too. Single values make a table, lists and objects are told one by one.
 */

import { anyValue, type Pair, type Stats } from "../../format.ts";
import { statName } from "../../names.ts";
import type { Line } from "./scoreboard.ts";

/** What the scoreboard itself shows of a participant. */
const ON_THE_BOARD = new Set([
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

/** One row for each figure, one text for each participant in the order of `lines`. */
export interface StatRow {
  key: string;
  name: string;
  texts: string[];
}

/** The further single values of all participants, by name. */
export function extraStats(lines: readonly Line[]): StatRow[] {
  const keys = new Set<string>();
  for (const { stats } of lines) {
    for (const [key, value] of further(stats)) if (!isCompound(value)) keys.add(key);
  }
  const rows = [...keys].map((key) => ({
    key,
    name: statName(key),
    texts: lines.map((line) => textOf(line, key)),
  }));
  return rows.sort((one, other) => one.name.localeCompare(other.name, "en"));
}

/** A skin beside its hero need not name the hero. */
function textOf({ stats, skin }: Line, key: string): string {
  if (key === "skinKey" && skin !== undefined) return skin;
  return anyValue(Object.hasOwn(stats, key) ? stats[key] : undefined, key);
}

/** The further lists and objects of one participant, such as what was bought and used. */
export function extraLists({ stats }: Line): Pair[] {
  return further(stats)
    .filter(([, value]) => isCompound(value))
    .map(([key, value]) => named(key, value));
}

/** Every value of an open set except those under `known`. */
export function otherValues(values: Stats, known: readonly string[] = []): Pair[] {
  return Object.entries(values)
    .filter(([key]) => !known.includes(key))
    .map(([key, value]) => named(key, value))
    .sort((one, other) => one.name.localeCompare(other.name, "en"));
}

const further = (stats: Stats): [string, unknown][] =>
  Object.entries(stats).filter(([key, value]) => !ON_THE_BOARD.has(key) || isOdd(key, value));

const named = (key: string, value: unknown): Pair => ({
  key,
  name: statName(key),
  text: anyValue(value, key),
});

const isCompound = (value: unknown): boolean => typeof value === "object" && value !== null;

/** A value of an unusual type has no place on the board, and would be lost. */
function isOdd(key: string, value: unknown): boolean {
  if (key === "items") return !isListOfTexts(value);
  return typeof value !== (key === "winner" ? "boolean" : "number");
}

const isListOfTexts = (value: unknown): boolean =>
  Array.isArray(value) && value.every((one) => typeof one === "string");
