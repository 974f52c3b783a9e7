/** Parses the options of an API key, the same way for the command line and the admin API. */

import type { Tier } from "../domain/limits.ts";
import { parseTimestamp } from "../domain/time.ts";
import { nearest } from "../text/nearest.ts";
import { DAY_MS, type Parsed, shortText } from "./parsers.ts";
import { parseBurst, parseMatchesPerDay, parseRate, parseShardAccess } from "./tiers.ts";

/** Leaves an option to the key's tier. */
export const TIER_DEFAULT = "default";
/** The expiry of a key that does not expire. */
export const NEVER = "never";

const LONGEST_NAME = 100;
const LONGEST_NOTE = 500;

const UNITS_MS: Record<string, number> = { min: 60_000, h: 3_600_000, d: DAY_MS, w: 7 * DAY_MS };
/** A longer life is probably a typo. */
const LONGEST_LIFE_MS = 36_500 * DAY_MS;
const MAX_OVERLAP_MS = 31 * DAY_MS;

/** One parser for each option, by its name. `now` is in milliseconds since the epoch. */
export function keyOptionParsers(tiers: readonly Tier[], now: number) {
  return {
    name: parseName,
    note: parseNote,
    tier: tierAmong(tiers),
    rate: orTierDefault(parseRate),
    burst: orTierDefault(parseBurst),
    matchesPerDay: orTierDefault(parseMatchesPerDay),
    shards: orTierDefault(parseShardAccess),
    expiresAt: expiryAfter(now),
  };
}

const parseName = shortText(LONGEST_NAME);

/** An empty text means no note. */
export function parseNote(text: string): Parsed<string | null> {
  return text === "" ? { value: null } : shortText(LONGEST_NOTE)(text);
}

/** Null: the key names no tier. If a tier is itself called "default", the word means that tier. */
function tierAmong(tiers: readonly Tier[]): (text: string) => Parsed<string | null> {
  const names = tiers.map(({ name }) => name);
  return (text) => {
    if (names.includes(text)) return { value: text };
    if (text === TIER_DEFAULT) return { value: null };
    const guess = nearest(text, names);
    const hint = guess === undefined ? "" : `did you mean ${guess}? `;
    return { error: `unknown tier; ${hint}tiers: ${names.join(", ")}` };
  };
}

/** Milliseconds since the epoch; null: never. A date means the end of that day in UTC. */
export function expiryAfter(now: number): (text: string) => Parsed<number | null> {
  return (text) => {
    if (text === NEVER) return { value: null };
    const moment = momentOf(text, now);
    if (moment === undefined) {
      return {
        error:
          "must be a time with a time zone (2027-01-31T18:00:00Z), a date (2027-01-31: the end of that day in UTC), " +
          `a duration from now (30d, 12h) or ${NEVER}`,
      };
    }
    if (moment <= now) {
      return { error: "must be in the future; to end a key now, revoke it" };
    }
    return moment > now + LONGEST_LIFE_MS
      ? { error: `must be within the next 100 years, or ${NEVER}` }
      : { value: moment };
  };
}

/** Milliseconds for which the old secret stays valid after a rotation; 0 ends it at once. */
export function parseOverlap(text: string): Parsed<number> {
  const length = text === "0" ? 0 : lengthOf(text);
  return length !== undefined && length <= MAX_OVERLAP_MS
    ? { value: length }
    : {
        error: "must be a duration up to 31d, e.g. 30min, 24h or 7d; 0 ends the old secret at once",
      };
}

function momentOf(text: string, now: number): number | undefined {
  const length = lengthOf(text);
  if (length !== undefined) return now + length;
  const start = parseTimestamp(`${text}T00:00:00Z`);
  return start === undefined ? parseTimestamp(text) : start + DAY_MS;
}

/** Milliseconds of a duration, e.g. 30d. */
function lengthOf(text: string): number | undefined {
  const parts = /^(\d{1,6}) ?(min|h|d|w)$/.exec(text);
  return parts ? Number(parts[1]) * UNITS_MS[parts[2]!]! : undefined;
}

function orTierDefault<T>(parse: (text: string) => Parsed<T>): (text: string) => Parsed<T | null> {
  return (text) => {
    if (text === TIER_DEFAULT) return { value: null };
    const parsed = parse(text);
    return "error" in parsed
      ? { error: `${parsed.error}, or ${TIER_DEFAULT} to use the limit of the tier` }
      : parsed;
  };
}
