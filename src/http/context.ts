/** What the stages of a request work with: shards, keys, limits, clock. */

import type { FailureGuard } from "../access/failed-keys.ts";
import type { KeyLookup } from "../access/key-lookup.ts";
import type { Quotas } from "../access/quota.ts";
import type { Limiter } from "../access/rate-limit.ts";
import type { KeyDay } from "../access/usage.ts";
import type { Awaitable } from "../domain/awaitable.ts";
import type { Observe } from "../observe/events.ts";
import type { ReadableShards } from "../store/shards.ts";
import type { CompatProfile } from "./compat-profile.ts";
import type { Portal } from "./portal.ts";

export interface ServerContext {
  version: string;
  /** The OpenAPI document of this service. */
  openApi: object;
  startedAt: number;
  shards: ReadableShards;
  keys: Pick<KeyLookup, "recent" | "find" | "mayRead">;
  guard: FailureGuard;
  limiter: Limiter;
  quotas: Quotas;
  /** Whether limits are shared as they are meant to be; undefined where they are not meant to be. */
  sharedLimits?: { readonly isUp: boolean } | undefined;
  usage: { daysOf(keyId: string, since: number): Awaitable<KeyDay[]> };
  maxOffset: number;
  profile: CompatProfile;
  /** The web portal; undefined where it is switched off. */
  portal?: Pick<Portal, "answer"> | undefined;
  clock: Clock;
  observe: Observe;
}

/** In milliseconds: the wall clock, and one that never goes back. */
export interface Clock {
  now(): number;
  monotonic(): number;
}
