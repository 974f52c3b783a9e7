/** What a key may do: what its tier grants, and where the key itself is an exception. */

/** What can be granted. A member that is null or absent leaves it to the next one in line. */
export interface LimitOverrides {
  /** Requests a minute. */
  rate?: number | null;
  /** Requests that a rested key may send at once; 0: as many as its rate. */
  burst?: number | null;
  /** Different match records in a UTC day; 0: any number. */
  matchesPerDay?: number | null;
  /** Ids of shards; EVERY_OPEN_SHARD among them stands for all that are not closed. */
  shards?: readonly string[] | null;
}

/** A grant with a name, for many keys. */
export interface Tier extends LimitOverrides {
  name: string;
}

/** What a key may do in the end. */
export interface EffectiveLimits {
  tier: string;
  rate: number;
  /** At least 1. */
  burst: number;
  matchesPerDay: number;
  shards: readonly string[];
}

/** What a deployment grants to whom, and which of its shards are for those who name them. */
export interface AccessPlan {
  /** At least one; the first is for keys that name none, or one that is gone. */
  tiers: readonly Tier[];
  /** For tiers that leave it open. */
  defaults: { rate: number; burst: number; matchesPerDay: number };
  closedShards: readonly string[];
}

export const EVERY_OPEN_SHARD = "*";

/** The key's own exceptions go before its tier, the tier before the deployment's defaults. */
export function effectiveLimits(
  plan: AccessPlan,
  tierName: string | null,
  own: LimitOverrides,
): EffectiveLimits {
  const tier = tierNamed(plan, tierName) ?? plan.tiers[0]!;
  const { defaults } = plan;
  const rate = own.rate ?? tier.rate ?? defaults.rate;
  const burst = own.burst ?? tier.burst ?? defaults.burst;
  return {
    tier: tier.name,
    rate,
    burst: burst === 0 ? rate : burst,
    matchesPerDay: own.matchesPerDay ?? tier.matchesPerDay ?? defaults.matchesPerDay,
    shards: own.shards ?? tier.shards ?? [EVERY_OPEN_SHARD],
  };
}

export function tierNamed({ tiers }: AccessPlan, name: string | null): Tier | undefined {
  return tiers.find((tier) => tier.name === name);
}

/** Whether a key may read a shard: it is named, or open to everybody who may read the open ones. */
export function mayRead(plan: AccessPlan, { shards }: EffectiveLimits, shard: string): boolean {
  if (shards.includes(shard)) return true;
  return shards.includes(EVERY_OPEN_SHARD) && !plan.closedShards.includes(shard);
}
