/** GET /status, /healthz, /readyz and /openapi.json, which need no key. */

import { formatTimestamp } from "../domain/time.ts";
import type { Observe } from "../observe/events.ts";
import type { ShardStatus } from "../observe/shard-metrics.ts";
import type { ReadableShards } from "../store/shards.ts";
import type { Summary } from "../store/store.ts";
import type { CompatProfile } from "./compat-profile.ts";

export interface StatusContext {
  version: string;
  openApi: object;
  startedAt: number;
  now: number;
  shards: ReadableShards;
  keys: { readonly isLoaded: boolean };
  /** Whether the shared limits work; undefined if limits are not shared. */
  sharedLimits?: { readonly isUp: boolean } | undefined;
  profile: CompatProfile;
  observe: Observe;
}

export interface JsonResult {
  status: number;
  /** If `isConstant`, always the same object, which is serialized only once. */
  body: object;
  isConstant?: boolean;
}

export type OpenEndpoint = (state: StatusContext) => Promise<JsonResult>;

/** All shards, and how fresh each of them is. */
export async function status(state: StatusContext): Promise<JsonResult> {
  const shards = await shardStatuses(state);
  return {
    status: 200,
    body: {
      name: "matchbook",
      version: state.version,
      startedAt: formatTimestamp(state.startedAt),
      shards: shards.map(({ id, available, newestMatch, replicas }) => ({
        id,
        available,
        ...freshness(newestMatch, state.now),
        ...replicasInUse(replicas),
      })),
      ...(state.sharedLimits && { sharedLimits: state.sharedLimits.isUp ? "ok" : "unavailable" }),
      ...state.profile.status(state),
    },
  };
}

function freshness(newest: number | undefined, now: number) {
  if (newest === undefined) return { newestMatch: null, ageSeconds: null };
  const ageSeconds = Math.max(0, Math.round((now - newest) / 1000));
  return { newestMatch: formatTimestamp(newest), ageSeconds };
}

/** How many replicas there are and how many are in use. Only the operator learns which ones. */
export function replicasInUse(replicas: readonly boolean[]): {
  replicas?: { listed: number; inUse: number };
} {
  if (replicas.length === 0) return {};
  const inUse = replicas.filter((isUsed) => isUsed).length;
  return { replicas: { listed: replicas.length, inUse } };
}

/** The process responds. */
export async function health(): Promise<JsonResult> {
  return { status: 200, body: { status: "ok" } };
}

/** Every shard is available, and API keys can be checked. */
export async function readiness(state: StatusContext): Promise<JsonResult> {
  const shards = await shardStatuses(state);
  const unavailable = shards.filter(({ available }) => !available).map(({ id }) => id);
  const { isLoaded } = state.keys;
  if (unavailable.length === 0 && isLoaded) return { status: 200, body: { status: "ready" } };
  const keys = isLoaded ? {} : { keys: "unavailable" };
  return { status: 503, body: { status: "not ready", unavailable, ...keys } };
}

/** The OpenAPI document. */
export async function openApi({ openApi }: StatusContext): Promise<JsonResult> {
  return { status: 200, body: openApi, isConstant: true };
}

/** A shard without records. */
const EMPTY: Summary = { matches: 0, players: 0, newestMatch: undefined, bytes: 0 };

/** The state of every shard, which is also reported as events. */
export async function shardStatuses({
  shards,
  observe,
}: Pick<StatusContext, "shards" | "observe">): Promise<ShardStatus[]> {
  // In parallel, because an unavailable shard takes a while to fail.
  const stateOf = async (id: string): Promise<ShardStatus> => {
    try {
      const summary = (await (await shards.reader(id))?.summary()) ?? EMPTY;
      observe({ event: "shard-available", shard: id });
      return { id, available: true, ...summary, replicas: shards.replicas(id) };
    } catch (error) {
      observe({ event: "shard-unavailable", shard: id, error });
      return { id, available: false, ...EMPTY, replicas: shards.replicas(id) };
    }
  };
  return Promise.all((await shards.list()).map(stateOf));
}
