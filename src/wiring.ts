/** In charge of wiring: from settings to stores to servers. */

import { version } from "../package.json";
import { FailureGuard } from "./access/guard.ts";
import { Ledger } from "./access/ledger.ts";
import { MemoryLimiter } from "./access/limiter.ts";
import { KeyWatch } from "./access/watch.ts";
import type { RunningAdmin } from "./admin/server.ts";
import { startPrivately } from "./admin/start.ts";
import { readToken } from "./admin/token.ts";
import type { AccessPlan } from "./domain/allowance.ts";
import { PROFILES } from "./http/profile.ts";
import { type RunningServer, startServer } from "./http/server.ts";
import { shardStates } from "./http/service.ts";
import type { Clock } from "./http/serving.ts";
import { STAGES } from "./http/stopwatch.ts";
import { type Limits, openLimits } from "./limits.ts";
import { type Event, type Observe, observeAll } from "./observe/events.ts";
import { Metrics } from "./observe/metrics.ts";
import type { Settings } from "./settings/table.ts";
import { openShards } from "./shards.ts";
import type { Shards } from "./store/shards.ts";
import { StoreAway } from "./store/store.ts";

export { openShards, storesIn } from "./shards.ts";

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

const SYSTEM_CLOCK: Clock = { now: Date.now, monotonic: () => performance.now() };

export interface RunningMatchbook extends RunningServer {
  /** Where the private listener is, if there is one. */
  adminUrl: string | undefined;
}

/**
 * Starts the public server, and the private listener if the settings ask for one. Every shard is
 * opened first, so that an unfit file stops the start.
 */
export async function serve(
  settings: Settings,
  log: Observe,
  clock: Clock = SYSTEM_CLOCK,
): Promise<RunningMatchbook> {
  // Before anything is opened: without a token there is no start.
  const token = settings["admin-port"] === undefined ? undefined : readToken(settings);
  const plan = accessPlan(settings);
  const metrics = new Metrics({
    version,
    stages: STAGES,
    shardStates: () => shardStates({ shards, observe: watched }),
    sharedLimits: () => limits?.shared,
    clock,
  });
  const watched = observeAll([log, metrics.observe]);
  const shards = openShards(settings, watched);
  const keys = new KeyWatch(settings.data, plan, watched);
  const ledger = new Ledger(settings.data, clock.now, watched);
  const observe = observeAll([watched, (event) => noteUsage(ledger, event)]);
  let limits: Limits | undefined;
  let admin: RunningAdmin | undefined;
  const release = async () => {
    await admin?.stop();
    keys.stop();
    limits?.close();
    ledger.stop();
    await shards.close();
  };
  try {
    // A shard that is listed is there from the start, be it empty.
    for (const id of shards.allowed ?? []) shards.keeper(id);
    await openAll(shards, watched);
    keys.start();
    ledger.start();
    limits = await openLimits(
      settings,
      { limiter: new MemoryLimiter(), budgets: ledger.budgets },
      watched,
    );
    const { limiter, budgets, shared } = limits;
    if (token !== undefined) {
      const parts = { token, plan, keys, ledger, budgets, metrics, clock, observe, openThread };
      admin = startPrivately(settings, parts);
    }
    const server = startServer({
      version,
      shards,
      keys,
      guard: new FailureGuard(settings["failed-keys"]),
      limiter,
      budgets,
      sharedLimits: shared,
      usage: ledger,
      host: settings.host,
      port: settings.port,
      publicUrl: settings["public-url"],
      trustedProxies: settings["trusted-proxies"],
      maxOffset: settings["max-offset"],
      profile: PROFILES[settings.compat],
      farewellMs: settings["farewell-ms"],
      clock,
      observe,
      release,
    });
    return {
      url: server.url,
      adminUrl: admin?.url,
      async stop(signal) {
        // Uploads end while callers of the public server are still told to go.
        await Promise.all([admin?.stop(), server.stop(signal)]);
      },
    };
  } catch (error) {
    await release();
    throw error;
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

/** A small heap: the thread that serves shares the machine with it. */
const openThread = () =>
  new Worker(new URL("./upload-worker.ts", import.meta.url).href, { smol: true });

function noteUsage(ledger: Ledger, event: Event): void {
  if (event.event !== "request" || event.keyId === undefined) return;
  ledger.note(event.keyId, event.status, event.records, event.time);
}
