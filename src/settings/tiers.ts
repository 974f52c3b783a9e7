/** Parses the tables [tiers.NAME] of the settings file, and the lists of shards that a tier or key may read. */

import { isShardId } from "../domain/identifiers.ts";
import { EVERY_OPEN_SHARD, type Tier, VISITOR_TIER } from "../domain/limits.ts";
import { nearest } from "../text/nearest.ts";
import { isTable, type Parsed, type Table, wholeNumber } from "./parsers.ts";

export const parseRate = wholeNumber(1, 100_000_000);
export const parseBurst = wholeNumber(0, 100_000_000);
export const parseMatchesPerDay = wholeNumber(0, 1_000_000_000);

const TIER_NAME = /^[a-z0-9][a-z0-9-]{0,31}$/;

const numeric = (field: keyof Tier, parse: (text: string) => Parsed<number>) => ({
  field,
  parse: (value: unknown) => parse(String(value)),
});

/** The keys of a tier in the file, each with its field and parser. */
const MEMBERS: Record<string, { field: keyof Tier; parse(value: unknown): Parsed<unknown> }> = {
  rate: numeric("rate", parseRate),
  burst: numeric("burst", parseBurst),
  "matches-per-day": numeric("matchesPerDay", parseMatchesPerDay),
  shards: { field: "shards", parse: parseTierShards },
  streams: numeric("streams", wholeNumber(1, 1_000_000)),
  "changes-per-minute": numeric("changesPerMinute", wholeNumber(1, 100_000_000)),
};

export const BUILT_IN_TIERS: Table = {
  hobby: {},
  community: { rate: 300, "matches-per-day": 50_000 },
  commercial: { rate: 3000, "matches-per-day": 500_000 },
};

/** The first tier applies to API keys without one. That of portal visitors is last, and replaces no built-in tier. */
export function parseTiers(given: Table): Parsed<readonly Tier[]> {
  const { [VISITOR_TIER]: visitor, ...others } = given;
  if (visitor === undefined) return parseEach(given);
  const ofKeys = Object.keys(others).length > 0 ? others : BUILT_IN_TIERS;
  return parseEach({ ...ofKeys, [VISITOR_TIER]: visitor });
}

function parseEach(table: Table): Parsed<readonly Tier[]> {
  const tiers: Tier[] = [];
  for (const [name, members] of Object.entries(table)) {
    if (!TIER_NAME.test(name)) {
      return {
        error: `tier ${JSON.stringify(name)}: a name must be 1 to 32 characters from a-z, 0-9 and "-"`,
      };
    }
    const tier = isTable(members)
      ? parseTier(name, members)
      : { error: `must be a table: [tiers.${name}]` };
    if ("error" in tier) return { error: `tier ${name}: ${tier.error}` };
    tiers.push(tier.value);
  }
  return tiers.length > 0 ? { value: tiers } : { error: "define at least one tier" };
}

function parseTier(name: string, members: Table): Parsed<Tier> {
  const tier: Tier = { name };
  const names = Object.keys(MEMBERS);
  for (const [key, value] of Object.entries(members)) {
    if (!names.includes(key)) {
      const guess = nearest(key, names);
      const hint = guess ? `did you mean ${guess}?` : `valid keys: ${names.join(", ")}`;
      return { error: `unknown key "${key}"; ${hint}` };
    }
    const { field, parse } = MEMBERS[key]!;
    const parsed = parse(value);
    if ("error" in parsed) return { error: `${key} ${parsed.error}` };
    Object.assign(tier, { [field]: parsed.value });
  }
  return { value: tier };
}

function parseTierShards(value: unknown): Parsed<readonly string[]> {
  const error = 'must be an array of shard ids, e.g. ["na", "eu"], ["*"] or ["*", "beta"]';
  return Array.isArray(value) ? shardList(value.map(String), error) : { error };
}

/** The tiers as tables of the settings file. */
export function showTiers(tiers: readonly Tier[]): Table {
  return Object.fromEntries(
    tiers.map((tier) => [
      tier.name,
      Object.fromEntries(
        Object.entries(MEMBERS).flatMap(([key, { field }]) =>
          tier[field] == null ? [] : [[key, tier[field]]],
        ),
      ),
    ]),
  );
}

/** The shards that a key may read: ids joined by "+"; "*" means all shards that are not closed. */
export function parseShardAccess(text: string): Parsed<readonly string[]> {
  const error = 'must be shard ids joined by "+", e.g. na+eu, * (all open shards) or *+beta';
  return shardList(
    text.split(/[+,]/).map((item) => item.trim()),
    error,
  );
}

function shardList(ids: readonly string[], error: string): Parsed<readonly string[]> {
  return ids.length > 0 && ids.every((id) => id === EVERY_OPEN_SHARD || isShardId(id))
    ? { value: [...new Set(ids)] }
    : { error };
}

/** Shards that only keys and tiers that name them may read. */
export function parseClosedShards(text: string): Parsed<readonly string[]> {
  if (text.trim() === "") return { value: [] };
  const ids = text.split(",").map((item) => item.trim());
  return ids.every(isShardId)
    ? { value: [...new Set(ids)] }
    : { error: "must be comma-separated shard ids, e.g. beta,tournament" };
}
