/** A key as JSON, for the command line and the admin API. */

import {
  type AccessPlan,
  type EffectiveLimits,
  effectiveLimits,
  tierNamed,
} from "../domain/limits.ts";
import { formatTimestamp } from "../domain/time.ts";
import { type KeyRecord, stateOf } from "./key-store.ts";

/** Where a limit of a key comes from. */
export type Source = "key" | "tier" | "default";

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
    streams: tier.streams === undefined ? "default" : "tier",
    changesPerMinute: tier.changesPerMinute === undefined ? "default" : "tier",
  };
}

/**
 * A key with its options (null: set by the tier), the resulting limits (`allowance`; matchesPerDay
 * 0 is unlimited) and where each limit comes from (`sources`).
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
