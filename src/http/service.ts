/** In charge of what the service says about itself: status, health, readiness. No key is needed. */

import { formatTimestamp } from "../domain/time.ts";
import type { Observe } from "../observe/events.ts";
import type { ShardState } from "../observe/shard-metrics.ts";
import type { ReadableShards } from "../store/shards.ts";
import type { Summary } from "../store/store.ts";
import type { Profile } from "./profile.ts";

export interface ServiceState {
  version: string;
  openApi: object;
  startedAt: number;
  now: number;
  shards: ReadableShards;
  /** Whether limits are shared as they are meant to be; undefined where they are not meant to be. */
  sharedLimits?: { readonly isUp: boolean } | undefined;
  profile: Profile;
  observe: Observe;
}

export interface ServiceAnswer {
  status: number;
  /** Always the same object where it never changes: then it is written only once. */
  body: object;
  isConstant?: boolean;
}

export type ServiceEndpoint = (state: ServiceState) => Promise<ServiceAnswer>;

/** Which shards there are, and how fresh each of them is. */
export async function status(state: ServiceState): Promise<ServiceAnswer> {
  const shards = await shardStates(state);
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
      ...(state.sharedLimits && { sharedLimits: state.sharedLimits.isUp ? "ok" : "away" }),
      ...state.profile.status(state),
    },
  };
}

function freshness(newest: number | undefined, now: number) {
  if (newest === undefined) return { newestMatch: null, ageSeconds: null };
  const ageSeconds = Math.max(0, Math.round((now - newest) / 1000));
  return { newestMatch: formatTimestamp(newest), ageSeconds };
}

/** How many there are, and how many are read from: which and where is for the operator. */
export function replicasInUse(replicas: readonly boolean[]): {
  replicas?: { listed: number; inUse: number };
} {
  if (replicas.length === 0) return {};
  const inUse = replicas.filter((isUsed) => isUsed).length;
  return { replicas: { listed: replicas.length, inUse } };
}

/** The process answers. */
export async function health(): Promise<ServiceAnswer> {
  return { status: 200, body: { status: "ok" } };
}

/** Every shard can be read. */
export async function readiness(state: ServiceState): Promise<ServiceAnswer> {
  const shards = await shardStates(state);
  const away = shards.filter(({ available }) => !available).map(({ id }) => id);
  return away.length === 0
    ? { status: 200, body: { status: "ready" } }
    : { status: 503, body: { status: "not ready", unavailable: away } };
}

/** The interface, for programs. */
export async function description({ openApi }: ServiceState): Promise<ServiceAnswer> {
  return { status: 200, body: openApi, isConstant: true };
}

/** A shard that nobody has put anything into yet. */
const EMPTY: Summary = { matches: 0, players: 0, newestMatch: undefined, bytes: 0 };

/** Every shard there is, with how much it serves. Of one that cannot be read, an event tells too. */
export async function shardStates({
  shards,
  observe,
}: Pick<ServiceState, "shards" | "observe">): Promise<ShardState[]> {
  // All at once: each that is away takes its time to be found so.
  const stateOf = async (id: string): Promise<ShardState> => {
    try {
      const summary = (await (await shards.reader(id))?.summary()) ?? EMPTY;
      return { id, available: true, ...summary, replicas: shards.replicas(id) };
    } catch (error) {
      observe({ event: "shard-unavailable", shard: id, error });
      return { id, available: false, ...EMPTY, replicas: shards.replicas(id) };
    }
  };
  return Promise.all((await shards.list()).map(stateOf));
}
