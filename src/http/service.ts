/** In charge of what the service says about itself: status, health, readiness. No key is needed. */

import { formatTimestamp } from "../domain/time.ts";
import type { Observe } from "../observe/events.ts";
import type { ReadableShards } from "../store/shards.ts";

export interface ServiceState {
  version: string;
  openApi: object;
  startedAt: number;
  now: number;
  shards: ReadableShards;
  observe: Observe;
}

export interface ServiceAnswer {
  status: number;
  body: object;
}

export type ServiceEndpoint = (state: ServiceState) => Promise<ServiceAnswer>;

/** Which shards there are, and how fresh each of them is. */
export async function status(state: ServiceState): Promise<ServiceAnswer> {
  const shards = await eachShard(state, (newest) => ({
    newestMatch: newest === undefined ? null : formatTimestamp(newest),
    ageSeconds: newest === undefined ? null : Math.max(0, Math.round((state.now - newest) / 1000)),
  }));
  return {
    status: 200,
    body: {
      name: "matchbook",
      version: state.version,
      startedAt: formatTimestamp(state.startedAt),
      shards,
    },
  };
}

/** The process answers. */
export async function health(): Promise<ServiceAnswer> {
  return { status: 200, body: { status: "ok" } };
}

/** Every shard can be read. */
export async function readiness(state: ServiceState): Promise<ServiceAnswer> {
  const shards = await eachShard(state, () => ({}));
  const away = shards.filter(({ available }) => !available).map(({ id }) => id);
  return away.length === 0
    ? { status: 200, body: { status: "ready" } }
    : { status: 503, body: { status: "not ready", unavailable: away } };
}

/** The interface, for programs. */
export async function description({ openApi }: ServiceState): Promise<ServiceAnswer> {
  return { status: 200, body: openApi };
}

async function eachShard<T>(
  { shards, observe }: ServiceState,
  describe: (newest: number | undefined) => T,
): Promise<(T & { id: string; available: boolean })[]> {
  const described = [];
  for (const id of await shards.list()) {
    let newest: number | undefined;
    let available = true;
    try {
      newest = await (await shards.reader(id))?.newestMatch();
    } catch (error) {
      available = false;
      observe({ event: "shard-unavailable", shard: id, error });
    }
    described.push({ id, available, ...describe(newest) });
  }
  return described;
}
