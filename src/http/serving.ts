/** In charge of what requests are answered with: the parts of a service that the stages need. */

import type { FailureGuard } from "../access/failed-keys.ts";
import type { KeyWatch } from "../access/key-lookup.ts";
import type { Quotas } from "../access/quota.ts";
import type { Limiter } from "../access/rate-limit.ts";
import type { KeyDay } from "../access/usage.ts";
import type { Awaitable } from "../domain/awaitable.ts";
import type { Observe } from "../observe/events.ts";
import type { ReadableShards } from "../store/shards.ts";
import type { Portal } from "./portal.ts";
import type { Profile } from "./profile.ts";

export interface Service {
  version: string;
  /** The OpenAPI document of this service. */
  openApi: object;
  startedAt: number;
  shards: ReadableShards;
  keys: Pick<KeyWatch, "recent" | "find" | "mayRead">;
  guard: FailureGuard;
  limiter: Limiter;
  budgets: Quotas;
  /** Whether limits are shared as they are meant to be; undefined where they are not meant to be. */
  sharedLimits?: { readonly isUp: boolean } | undefined;
  usage: { daysOf(keyId: string, since: number): Awaitable<KeyDay[]> };
  maxOffset: number;
  profile: Profile;
  /** The pages for people; undefined where they are switched off. */
  portal?: Pick<Portal, "answer"> | undefined;
  clock: Clock;
  observe: Observe;
}

/** In milliseconds: the time of day, and one that never steps back. */
export interface Clock {
  now(): number;
  monotonic(): number;
}
