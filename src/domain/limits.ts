/** The limits of a key: those of its tier, and its own overrides; and the limits of portal visitors. */

/** Limits that a tier or a key can set. Null or absent: not set here. */
export interface LimitOverrides {
  /** Requests per minute. */
  rate?: number | null;
  /** Requests that an idle key may send at once. 0: the same as the rate. */
  burst?: number | null;
  /** Distinct matches per UTC day. 0: unlimited. */
  matchesPerDay?: number | null;
  /** Shard ids. EVERY_OPEN_SHARD stands for all shards that are not closed. */
  shards?: readonly string[] | null;
}

export interface Tier extends LimitOverrides {
  name: string;
  /** Streams of the change feed that a key may have open at once. */
  streams?: number;
  /** Changes that a key may read from the change feed in a minute. */
  changesPerMinute?: number;
}

/** For tiers that do not set them. */
const DEFAULT_STREAMS = 10;
const DEFAULT_CHANGES_PER_MINUTE = 6000;

/** The tier of portal visitors. Never the first one, which is for keys. */
export const VISITOR_TIER = "visitor";

/** For what the settings do not say about that tier. An address can be that of many people. */
const VISITOR_LIMITS: Omit<Tier, "name"> = {
  rate: 120,
  matchesPerDay: 1000,
  changesPerMinute: 600,
};

/** The limits that apply to a key. */
export interface EffectiveLimits {
  tier: string;
  rate: number;
  /** At least 1. */
  burst: number;
  matchesPerDay: number;
  shards: readonly string[];
  streams: number;
  changesPerMinute: number;
}

/** Tiers, defaults and closed shards of this deployment. */
export interface AccessPlan {
  /** At least one. The first applies to keys without a tier or with an unknown one. */
  tiers: readonly Tier[];
  /** For limits that neither key nor tier sets. */
  defaults: { rate: number; matchesPerDay: number };
  closedShards: readonly string[];
}

export const EVERY_OPEN_SHARD = "*";

/** The key's own overrides win over its tier, and the tier over the defaults. */
export function effectiveLimits(
  plan: AccessPlan,
  tierName: string | null,
  own: LimitOverrides,
): EffectiveLimits {
  const tier = tierNamed(plan, tierName) ?? plan.tiers[0]!;
  const { defaults } = plan;
  const rate = own.rate ?? tier.rate ?? defaults.rate;
  const burst = own.burst ?? tier.burst ?? 0;
  return {
    tier: tier.name,
    rate,
    burst: burst === 0 ? rate : burst,
    matchesPerDay: own.matchesPerDay ?? tier.matchesPerDay ?? defaults.matchesPerDay,
    shards: own.shards ?? tier.shards ?? [EVERY_OPEN_SHARD],
    streams: tier.streams ?? DEFAULT_STREAMS,
    changesPerMinute: tier.changesPerMinute ?? DEFAULT_CHANGES_PER_MINUTE,
  };
}

/** The limits of one address of portal visitors. */
export function visitorLimits(plan: AccessPlan): EffectiveLimits {
  const tier = { ...VISITOR_LIMITS, ...tierNamed(plan, VISITOR_TIER), name: VISITOR_TIER };
  return effectiveLimits({ ...plan, tiers: [tier] }, VISITOR_TIER, {});
}

export function tierNamed({ tiers }: AccessPlan, name: string | null): Tier | undefined {
  return tiers.find((tier) => tier.name === name);
}

/** A closed shard must be listed by name. */
export function mayRead(plan: AccessPlan, { shards }: EffectiveLimits, shard: string): boolean {
  if (shards.includes(shard)) return true;
  return shards.includes(EVERY_OPEN_SHARD) && !plan.closedShards.includes(shard);
}
