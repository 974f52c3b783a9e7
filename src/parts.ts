/** In charge of opening what listeners work with: shards, keys, usage, limits, metrics. */

import { version } from "../package.json";
import type { Failures } from "./access/failed-keys.ts";
import { KeyWatch } from "./access/key-lookup.ts";
import { type AccessStore, type Limits, openAccess, openLimits } from "./access/open.ts";
import { type Limiter, MemoryLimiter } from "./access/rate-limit.ts";
import { UsageRecorder } from "./access/usage-recorder.ts";
import type { AccessPlan } from "./domain/allowance.ts";
import type { Clock } from "./http/context.ts";
import { shardStatuses } from "./http/status.ts";
import { STAGES } from "./http/stopwatch.ts";
import { type Event, type Observe, observeAll } from "./observe/events.ts";
import { Metrics } from "./observe/metrics.ts";
import type { Settings } from "./settings/table.ts";
import { openShards } from "./shards.ts";
import type { Shards } from "./store/shards.ts";
import { StoreAway } from "./store/store.ts";

/** What a process has in common with others that serve on the same port. */
export interface Sharing {
  limiter: Limiter;
  failures: Failures;
}

export interface Parts {
  plan: AccessPlan;
  metrics: Metrics;
  shards: Shards;
  keyStore: AccessStore["keys"];
  keys: KeyWatch;
  usage: UsageRecorder;
  limits: Limits;
  observe: Observe;
  /** Gives everything back. */
  release(): Promise<void>;
}

/** What the settings grant to whom. */
export function accessPlan(settings: Settings): AccessPlan {
  return {
    tiers: settings.tiers,
    defaults: {
      rate: settings.rate,
      burst: settings.burst,
      matchesPerDay: settings["matches-per-day"],
    },
    closedShards: settings["closed-shards"],
  };
}

/** Every shard is opened, so that an unfit file stops the start. */
export async function openParts(
  settings: Settings,
  log: Observe,
  clock: Clock,
  sharing?: Sharing,
): Promise<Parts> {
  const plan = accessPlan(settings);
  const metrics = new Metrics({
    version,
    stages: STAGES,
    shardStates: () => shardStatuses({ shards, observe: watched }),
    sharedLimits: () => limits?.shared,
    clock,
  });
  const watched = observeAll([log, metrics.observe]);
  const shards = openShards(settings, watched);
  const access = openAccess(settings);
  const keys = new KeyWatch(access.keys, plan, watched);
  const usage = new UsageRecorder(access.usage, clock, watched);
  let isRecording = false;
  let limits: Limits | undefined;
  const release = async () => {
    await keys.stop();
    limits?.close();
    if (isRecording) await usage.stop();
    await access.close();
    await shards.close();
  };
  try {
    // A shard that is listed is there from the start, be it empty.
    for (const id of shards.allowed ?? []) shards.keeper(id);
    await openAll(shards, watched);
    await missClosed(plan.closedShards, shards, watched);
    await keys.start();
    await usage.start();
    isRecording = true;
    const limiter = sharing?.limiter ?? new MemoryLimiter();
    limits = await openLimits(settings, { limiter, quotas: usage.quotas }, watched);
  } catch (error) {
    await release();
    throw error;
  }
  const observe = observeAll([watched, (event) => noteUsage(usage, event)]);
  const keyStore = access.keys;
  return { plan, metrics, shards, keyStore, keys, usage, limits, observe, release };
}

/** A slip in the name of a closed shard would leave that shard open, and nobody would notice. */
async function missClosed(
  closed: readonly string[],
  shards: Shards,
  observe: Observe,
): Promise<void> {
  if (closed.length === 0) return;
  const there = new Set(await shards.list());
  for (const shard of closed) {
    if (!there.has(shard)) observe({ event: "closed-shard-missing", shard });
  }
}

/** An unfit file stops the start. A database that is away does not: it may come back, and is asked again. */
async function openAll(shards: Shards, observe: Observe): Promise<void> {
  for (const id of await shards.list()) {
    try {
      await shards.reader(id);
    } catch (error) {
      if (!(error instanceof StoreAway)) throw error;
      observe({ event: "shard-unavailable", shard: id, error });
    }
  }
}

function noteUsage(usage: UsageRecorder, event: Event): void {
  if (event.event !== "request" || event.keyId === undefined) return;
  usage.note(event.keyId, event.status, event.records, event.time);
}
