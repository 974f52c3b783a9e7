/** In charge of opening what listeners work with: shards, keys, usage, limits, metrics. */

import { version } from "../package.json";
import type { Failures } from "./access/guard.ts";
import { Ledger } from "./access/ledger.ts";
import { type Limiter, MemoryLimiter } from "./access/limiter.ts";
import type { AccessPlace } from "./access/place.ts";
import { KeyWatch } from "./access/watch.ts";
import { openAccess } from "./accounts.ts";
import type { AccessPlan } from "./domain/allowance.ts";
import type { Clock } from "./http/context.ts";
import { shardStatuses } from "./http/status.ts";
import { STAGES } from "./http/stopwatch.ts";
import { type Limits, openLimits } from "./limits.ts";
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
  access: AccessPlace;
  keys: KeyWatch;
  ledger: Ledger;
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
  const keys = new KeyWatch(access.keys(), plan, watched);
  let ledger: Ledger | undefined;
  let limits: Limits | undefined;
  const release = async () => {
    await keys.stop();
    limits?.close();
    await ledger?.stop();
    await access.close();
    await shards.close();
  };
  try {
    // A shard that is listed is there from the start, be it empty.
    for (const id of shards.allowed ?? []) shards.keeper(id);
    await openAll(shards, watched);
    await missClosed(plan.closedShards, shards, watched);
    await keys.start();
    ledger = new Ledger(await access.book(), clock.now, watched);
    ledger.start();
    const limiter = sharing?.limiter ?? new MemoryLimiter();
    limits = await openLimits(settings, { limiter, budgets: ledger.budgets }, watched);
  } catch (error) {
    await release();
    throw error;
  }
  const counting = ledger;
  const observe = observeAll([watched, (event) => noteUsage(counting, event)]);
  return { plan, metrics, shards, access, keys, ledger, limits, observe, release };
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

function noteUsage(ledger: Ledger, event: Event): void {
  if (event.event !== "request" || event.keyId === undefined) return;
  ledger.note(event.keyId, event.status, event.records, event.time);
}
