/** GET /status and /readyz, which need no key. */

import { formatTimestamp } from "../domain/time.ts";
import type { Observe } from "../observe/events.ts";
import type { ShardStatus } from "../observe/shard-metrics.ts";
import { readSummary } from "../store/core/summary.ts";
import type { ReadableShards } from "../store/shards.ts";
import type { Summary } from "../store/store.ts";
import type { ServerContext } from "./context.ts";

export type StatusContext = Pick<
  ServerContext,
  "version" | "openApi" | "startedAt" | "shardStates" | "keys" | "sharedLimits" | "profile"
> & { now: number };

export interface JsonResult {
  status: number;
  /** If `isConstant`, always the same object, which is serialized only once. */
  body: object;
  isConstant?: boolean;
}

export type OpenEndpoint = (state: StatusContext) => Promise<JsonResult>;

/** All shards, and how fresh each of them is. */
export async function status(state: StatusContext): Promise<JsonResult> {
  const shards = await state.shardStates();
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
function replicasInUse(replicas: readonly boolean[]) {
  if (replicas.length === 0) return {};
  const inUse = replicas.filter((isUsed) => isUsed).length;
  return { replicas: { listed: replicas.length, inUse } };
}

/** Every shard is available, and API keys can be checked. */
export async function readiness(state: StatusContext): Promise<JsonResult> {
  const shards = await state.shardStates();
  const unavailable = shards.filter(({ available }) => !available).map(({ id }) => id);
  const { isLoaded } = state.keys;
  if (unavailable.length === 0 && isLoaded) return { status: 200, body: { status: "ready" } };
  const keys = isLoaded ? {} : { keys: "unavailable" };
  return { status: 503, body: { status: "not ready", unavailable, ...keys } };
}

/** A shard without records. */
const EMPTY: Summary = { matches: 0, players: 0, newestMatch: undefined };

/** The state of every shard, which is also reported as events. Sizes take longer to read than everything else. */
export async function shardStatuses(
  { shards, observe }: { shards: ReadableShards; observe: Observe },
  { withSizes }: { withSizes: boolean },
): Promise<ShardStatus[]> {
  const known = (id: string) => ({
    replicas: shards.replicas(id),
    verdict: shards.findings(id).verdict,
  });
  // In parallel, because an unavailable shard takes a while to fail.
  const stateOf = async (id: string): Promise<ShardStatus> => {
    try {
      const reader = await shards.reader(id);
      const summary = (await reader?.read(readSummary)) ?? EMPTY;
      const sizes = withSizes ? await reader?.sizes() : undefined;
      observe({ event: "shard-available", shard: id });
      return { id, available: true, ...summary, ...sizes, ...known(id) };
    } catch (error) {
      observe({ event: "shard-unavailable", shard: id, error });
      return { id, available: false, ...EMPTY, ...known(id) };
    }
  };
  return Promise.all((await shards.list()).map(stateOf));
}

const SHARED_MS = 1000;

/**
 * Calls `read` at most once a second, and never twice at the same time: all callers meanwhile share the result.
 * So the load on the stores does not depend on the number of requests, which need no key.
 */
export function atMostOncePerSecond<T>(
  read: () => Promise<T>,
  monotonic: () => number,
): () => Promise<T> {
  let last: { startedAt: number; isDone: boolean; result: Promise<T> } | undefined;
  return () => {
    const now = monotonic();
    if (last && (!last.isDone || now - last.startedAt < SHARED_MS)) return last.result;
    const current = { startedAt: now, isDone: false, result: read() };
    const done = () => {
      current.isDone = true;
    };
    current.result.then(done, done);
    last = current;
    return current.result;
  };
}
