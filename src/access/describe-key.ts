/** A key as programs read it: the same form on the command line and over HTTP. */

import {
  type AccessPlan,
  type EffectiveLimits,
  effectiveLimits,
  tierNamed,
} from "../domain/limits.ts";
import { formatTimestamp } from "../domain/time.ts";
import { type KeyRecord, stateOf } from "./key-store.ts";

/** Who decided about a limit of a key. */
export type Source = "key" | "tier" | "default";

/** A limit that was decided by the key itself, by its tier, or by neither. */
export function sourcesOf(
  plan: AccessPlan,
  record: KeyRecord,
): Record<keyof EffectiveLimits, Source> {
  const own = tierNamed(plan, record.tier);
  const tier = own ?? plan.tiers[0]!;
  const source = (term: "rate" | "burst" | "matchesPerDay" | "shards"): Source => {
    if (record[term] !== null) return "key";
    return tier[term] == null ? "default" : "tier";
  };
  return {
    tier: own ? "key" : "default",
    rate: source("rate"),
    burst: source("burst"),
    matchesPerDay: source("matchesPerDay"),
    shards: source("shards"),
  };
}

/**
 * Everything about a key: its terms (null: left to the tier), what they come to (`allowance`, in
 * which matchesPerDay 0 is any number) and who decided that (`sources`).
 */
export function describeKey(
  record: KeyRecord,
  plan: AccessPlan,
  lastSeen: number | undefined,
  now: number,
) {
  const { id, name, note, tier, rate, burst, matchesPerDay, shards, secrets } = record;
  return {
    id,
    name,
    note,
    state: stateOf(record, now),
    createdAt: formatTimestamp(record.createdAt),
    expiresAt: written(record.expiresAt),
    revokedAt: written(record.revokedAt),
    lastSeen: written(lastSeen ?? null),
    tier,
    rate,
    burst,
    matchesPerDay,
    shards,
    allowance: effectiveLimits(plan, tier, record),
    sources: sourcesOf(plan, record),
    secrets: secrets.map(({ createdAt, expiresAt }) => ({
      createdAt: formatTimestamp(createdAt),
      expiresAt: written(expiresAt),
    })),
  };
}

const written = (moment: number | null): string | null =>
  moment === null ? null : formatTimestamp(moment);
