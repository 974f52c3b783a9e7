/** A key as JSON, for the command line and the admin API. */

import { type AccessPlan, effectiveLimits } from "../domain/limits.ts";
import { formatTimestamp } from "../domain/time.ts";
import { type KeyRecord, stateOf } from "./key-store.ts";

/** A key with its options (null: set by the tier) and the resulting limits (`allowance`; matchesPerDay 0 is unlimited). */
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
    secrets: secrets.map(({ createdAt, expiresAt }) => ({
      createdAt: formatTimestamp(createdAt),
      expiresAt: written(expiresAt),
    })),
  };
}

const written = (moment: number | null): string | null =>
  moment === null ? null : formatTimestamp(moment);
