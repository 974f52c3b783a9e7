/** What the stages of a request share: shards, keys, limits, clock. */

import type { Clock } from "../access/clock.ts";
import type { AddressLimit } from "../access/failed-keys.ts";
import type { KeyLookup } from "../access/key-lookup.ts";
import type { Quotas } from "../access/quota.ts";
import type { Limiter } from "../access/rate-limit.ts";
import type { UsageStore } from "../access/usage-store.ts";
import type { Visitors } from "../access/visitors.ts";
import type { CompatProfile } from "../endpoint/compat-profile.ts";
import type { ResultCache } from "../endpoint/result-cache.ts";
import type { Observe } from "../observe/events.ts";
import type { ShardStatus } from "../observe/shard-metrics.ts";
import type { ReadableShards } from "../store/shards.ts";
import type { Bodies } from "./body.ts";
import type { OverloadControl } from "./overload.ts";
import type { Portal } from "./portal.ts";

export interface ServerContext {
  version: string;
  /** The OpenAPI document of this service. */
  openApi: object;
  startedAt: number;
  shards: ReadableShards;
  /** The state of every shard, at most a second old. */
  shardStates(): Promise<ShardStatus[]>;
  keys: Pick<KeyLookup, "isLoaded" | "recent" | "find" | "mayRead">;
  /** Undefined if visitors of the portal need a key. */
  visitors?: Visitors | undefined;
  guard: AddressLimit;
  openLimit: AddressLimit;
  limiter: Limiter;
  quotas: Quotas;
  /** Whether the shared limits work; undefined if limits are not shared. */
  sharedLimits?: { readonly isUp: boolean } | undefined;
  usage: Pick<UsageStore, "read">;
  maxOffset: number;
  profile: CompatProfile;
  overload: OverloadControl;
  results: ResultCache;
  bodies: Bodies;
  /** What features keep while the server runs, by their names. */
  running: ReadonlyMap<string, unknown>;
  /** Undefined if the portal is disabled. */
  portal?: Pick<Portal, "answer"> | undefined;
  clock: Clock;
  observe: Observe;
  state: {
    inFlight: number;
    /** Whether responses ask clients to close their connections. */
    isStopping: boolean;
  };
}
