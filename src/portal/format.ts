/**
 * Formats numbers and other values of records for display. Stats are open sets: a value that is missing
 * or has an unexpected type is shown as it is, never as a wrong number.
 */

import { endingName, itemName, modeName, sideName, skinName, statName } from "./names.ts";

/** A value of a record with a readable name. */
export interface Pair {
  /** The key in the record. */
  key: string;
  name: string;
  text: string;
}

export type Stats = { readonly [key: string]: unknown };

/** Shown for a missing value. */
const MISSING = "–";

const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const oneDigit = new Intl.NumberFormat("en", {
  minimumFractionDigits: 1,
  maximumFractionDigits: 1,
});
const precise = new Intl.NumberFormat("en", { maximumFractionDigits: 2 });
const short = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });

/** The value of `key` if it is a finite number. */
export function numberIn(stats: Stats, key: string): number | undefined {
  const value = Object.hasOwn(stats, key) ? stats[key] : undefined;
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

export function textIn(stats: Stats, key: string): string | undefined {
  const value = Object.hasOwn(stats, key) ? stats[key] : undefined;
  return typeof value === "string" && value.trim() !== "" ? value : undefined;
}

/** 16844.25 is "16,844". */
export const count = (value: number | undefined): string =>
  value === undefined ? MISSING : whole.format(value);

/** 16844.25 is "16.8K". */
export const compact = (value: number | undefined): string =>
  value === undefined ? MISSING : short.format(value);

/** 33 of 52 is "63%". */
export function share(part: number | undefined, all: number | undefined): string {
  if (part === undefined || all === undefined || all <= 0) return MISSING;
  return `${Math.round((part / all) * 100)}%`;
}

/** 3.25 is "3.3". */
export function decimal(value: number | undefined): string {
  return value === undefined ? MISSING : oneDigit.format(value);
}

/** 1702 seconds are "28 min 22 s": "28:22" could be a time of the day. */
export function durationText(seconds: number | undefined): string {
  if (seconds === undefined || seconds < 0) return MISSING;
  const all = Math.floor(seconds);
  const parts = [
    [Math.floor(all / 3600), "h"],
    [Math.floor(all / 60) % 60, "min"],
    [all % 60, "s"],
  ] as const;
  const text = parts.filter(([value]) => value > 0).map((part) => part.join("\u00a0"));
  return text.join(" ") || "0\u00a0s";
}

/** "1 win", "2 wins". */
export function counted(number: number, one: string, many = `${one}s`): string {
  return `${whole.format(number)} ${Math.abs(number) === 1 ? one : many}`;
}

/** Skill tiers start at 0; a negative tier means unranked. */
export function tier(value: number | undefined): string {
  if (value === undefined) return MISSING;
  return value < 0 ? "Unranked" : `Tier ${whole.format(value)}`;
}

/** Keys whose values are codes, with the function that makes them readable. */
const READ: ReadonlyMap<string, (code: string) => string> = new Map([
  ["endGameReason", endingName],
  ["gameMode", modeName],
  ["queue", modeName],
  ["side", sideName],
  ["skinKey", skinName],
]);

/** Any JSON value as one line of text. */
export function anyValue(value: unknown, key = ""): string {
  if (value === undefined || value === null) return MISSING;
  if (typeof value === "boolean") return value ? "Yes" : "No";
  if (typeof value === "number") return numberUnder(key, value);
  if (typeof value === "string") return textUnder(key, value);
  if (Array.isArray(value)) return listed(value.map((one) => anyValue(one)));
  if (typeof value === "object") return listed(Object.entries(value).map(entryInWords));
  return String(value);
}

function numberUnder(key: string, value: number): string {
  if (key === "skillTier") return tier(value);
  if (key === "firstAfkTime") return value < 0 ? "Never" : durationText(value);
  return precise.format(value);
}

function textUnder(key: string, text: string): string {
  if (text.trim() === "") return MISSING;
  const read = READ.get(key);
  if (read) return read(text);
  return /^\*.+\*$/.test(text) ? itemName(text) : text;
}

/** A number is a count of items, as in "Sprint Boots × 2"; any other value is shown as "Key: value". */
function entryInWords([key, value]: [string, unknown]): string {
  if (typeof value === "number") return `${itemName(key)} × ${precise.format(value)}`;
  return `${statName(key)}: ${anyValue(value, key)}`;
}

const listed = (parts: string[]): string => (parts.length === 0 ? "None" : parts.join(", "));
