/** In charge of the settings about access: tiers of keys, and shards that are closed to most. */

import { EVERY_OPEN_SHARD, type Tier } from "../domain/allowance.ts";
import { isShardId } from "../domain/identifiers.ts";
import { nearest } from "../text/nearest.ts";
import { type Parsed, wholeNumber } from "./parsers.ts";

export const parseRate = wholeNumber(1, 100_000_000);
export const parseBurst = wholeNumber(0, 100_000_000);
export const parseMatchesPerDay = wholeNumber(0, 1_000_000_000);

const TIER_NAME = /^[a-z0-9][a-z0-9-]{0,31}$/;

const RIGHT =
  'must be tiers separated by ";", each a name and what it grants, for example "hobby; community rate=300 matches-per-day=50000; staff rate=6000 shards=*+beta"';

/** What a tier may say, by the word for it. */
const MEMBERS: Record<string, (text: string) => Parsed<Partial<Tier>>> = {
  rate: (text) => member(parseRate(text), (rate) => ({ rate })),
  burst: (text) => member(parseBurst(text), (burst) => ({ burst })),
  "matches-per-day": (text) =>
    member(parseMatchesPerDay(text), (matchesPerDay) => ({ matchesPerDay })),
  shards: (text) => member(parseShardAccess(text), (shards) => ({ shards })),
};

function isTierName(text: string): boolean {
  return TIER_NAME.test(text);
}

/** The form of flags and variables. */
export function parseTiers(text: string): Parsed<readonly Tier[]> {
  const items = text.split(";").map((item) => item.trim().split(/\s+/));
  return collect(
    items.map(([name, ...words]) => [
      name!,
      words.map((word): [string, string] => {
        const [key, ...value] = word.split("=");
        return [key!, value.join("=")];
      }),
    ]),
  );
}

/** The form of a file: [tiers.NAME] with rate, burst, matches-per-day and shards. */
export function parseTierTable(table: Record<string, unknown>): Parsed<readonly Tier[]> {
  const tiers: [string, [string, string][]][] = [];
  for (const [name, grants] of Object.entries(table)) {
    if (typeof grants !== "object" || grants === null || Array.isArray(grants)) {
      return { error: `must be tables, one a tier: [tiers.${name}]` };
    }
    const words = Object.entries(grants).map(([key, value]): [string, string] => [
      key,
      Array.isArray(value) ? value.map(String).join("+") : String(value),
    ]);
    tiers.push([name, words]);
  }
  return collect(tiers);
}

export function showTiers(tiers: readonly Tier[]): string {
  return tiers
    .map(({ name, rate, burst, matchesPerDay, shards }) =>
      [
        name,
        ...(rate == null ? [] : [`rate=${rate}`]),
        ...(burst == null ? [] : [`burst=${burst}`]),
        ...(matchesPerDay == null ? [] : [`matches-per-day=${matchesPerDay}`]),
        ...(shards == null ? [] : [`shards=${shards.join("+")}`]),
      ].join(" "),
    )
    .join("; ");
}

/** Shards that a tier or a key may read: "*" for all that are not closed, ids joined by "+". */
export function parseShardAccess(text: string): Parsed<readonly string[]> {
  const shards = text.split(/[+,]/).map((item) => item.trim());
  return shards.every((id) => id === EVERY_OPEN_SHARD || isShardId(id))
    ? { value: [...new Set(shards)] }
    : { error: 'must be shards joined by "+", for example na+eu, * (all open ones) or *+beta' };
}

/** Shards that only keys and tiers which name them may read. */
export function parseClosedShards(text: string): Parsed<readonly string[]> {
  if (text.trim() === "") return { value: [] };
  const ids = text.split(",").map((item) => item.trim());
  return ids.every(isShardId)
    ? { value: [...new Set(ids)] }
    : { error: "must be comma-separated ids of shards, for example beta,tournament" };
}

function collect(items: readonly [name: string, words: [string, string][]][]): Parsed<Tier[]> {
  const tiers: Tier[] = [];
  for (const [name, words] of items) {
    if (!isTierName(name)) return { error: RIGHT };
    if (tiers.some((tier) => tier.name === name)) {
      return { error: `names the tier ${name} twice: name it once` };
    }
    const tier: Tier = { name };
    for (const [key, text] of words) {
      const read = Object.hasOwn(MEMBERS, key) ? MEMBERS[key] : undefined;
      if (!read) {
        const guess = nearest(key, Object.keys(MEMBERS));
        const hint = guess
          ? `did you mean ${guess}?`
          : `there are ${Object.keys(MEMBERS).join(", ")}`;
        return { error: `gives the tier ${name} a "${key}", which is unknown: ${hint}` };
      }
      const parsed = read(text);
      if ("error" in parsed) return { error: `is wrong at ${key} of ${name}: it ${parsed.error}` };
      Object.assign(tier, parsed.value);
    }
    tiers.push(tier);
  }
  return tiers.length > 0 ? { value: tiers } : { error: RIGHT };
}

function member<T>(parsed: Parsed<T>, make: (value: T) => Partial<Tier>): Parsed<Partial<Tier>> {
  return "error" in parsed ? parsed : { value: make(parsed.value) };
}
