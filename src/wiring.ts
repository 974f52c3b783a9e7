/** In charge of wiring: from settings to stores to servers. */

import { version } from "../package.json";
import { steadyClock } from "./access/clock.ts";
import { FailureGuard } from "./access/failed-keys.ts";
import { type RunningAdmin, startAdmin } from "./admin/server.ts";
import { readToken } from "./admin/token.ts";
import { PROFILES } from "./http/compat.ts";
import type { Clock } from "./http/context.ts";
import { Portal } from "./http/portal.ts";
import { type RunningServer, startServer } from "./http/server.ts";
import type { Observe } from "./observe/events.ts";
import type { Metrics } from "./observe/metrics.ts";
import type { Family } from "./observe/prometheus.ts";
import { openParts, type Sharing } from "./parts.ts";
import type { Settings } from "./settings/table.ts";

export { openAccess } from "./access/open.ts";
export { accessPlan } from "./parts.ts";
export { locationOf, openKeeper, openShards, storesIn } from "./shards.ts";

const SYSTEM_CLOCK: Clock = { now: Date.now, monotonic: () => performance.now() };

export interface RunningMatchbook extends RunningServer {
  /** Where the private listener is, if there is one. */
  adminUrl: string | undefined;
  metrics: Pick<Metrics, "families">;
  /** Notices changes of keys at once. */
  lookAtKeys(): Promise<void>;
}

/**
 * Starts the public server, and the private listener if the settings ask for one. `sharing` is for one
 * of several processes on the same port. `offeredKey` is a key that the portal offers to every visitor.
 */
export async function serve(
  settings: Settings,
  log: Observe,
  unsteadyClock: Clock = SYSTEM_CLOCK,
  sharing?: Sharing,
  offeredKey?: string,
): Promise<RunningMatchbook> {
  const clock = steadyClock(unsteadyClock);
  // Before anything is opened: without a token there is no start.
  const token = tokenFor(settings);
  const parts = await openParts(settings, log, clock, sharing);
  const { metrics, shards, keys, usage, limits, observe } = parts;
  const { limiter, quotas: budgets, shared } = limits;
  let admin: RunningAdmin | undefined;
  const release = async () => {
    await admin?.stop();
    await parts.release();
  };
  try {
    if (token !== undefined) {
      admin = startAdmin(settings, { ...parts, token, budgets, clock, openThread });
    }
    const server = startServer({
      version,
      shards,
      keys,
      guard: new FailureGuard(settings["auth-failures-per-minute"], sharing?.failures),
      limiter,
      budgets,
      sharedLimits: shared,
      usage,
      host: settings.host,
      port: settings.port,
      sharesPort: sharing !== undefined,
      publicUrl: settings["public-url"],
      trustedProxies: settings["trusted-proxies"],
      maxOffset: settings["max-offset"],
      profile: PROFILES[settings.compat],
      portal: settings.portal === "on" ? new Portal(offeredKey) : undefined,
      drainMs: settings["drain-ms"],
      clock,
      observe,
      release,
    });
    return {
      url: server.url,
      adminUrl: admin?.url,
      metrics,
      lookAtKeys: () => keys.lookAgain(),
      async stop(signal, drainMs) {
        // Uploads end while callers of the public server are still told to go.
        await Promise.all([admin?.stop(), server.stop(signal, drainMs)]);
      },
    };
  } catch (error) {
    await release();
    throw error;
  }
}

/** The processes that answer the public, as the private listener beside them sees them. */
interface Workers {
  lookAtKeys(): Promise<void>;
  metrics(): Promise<Family[]>;
}

/** The private listener alone, if the settings ask for one: others serve. */
export async function servePrivately(
  settings: Settings,
  log: Observe,
  workers: Workers,
): Promise<RunningAdmin | undefined> {
  const token = tokenFor(settings);
  if (token === undefined) return undefined;
  const clock = steadyClock(SYSTEM_CLOCK);
  const parts = await openParts(settings, log, clock);
  const { metrics, limits } = parts;
  try {
    const admin = startAdmin(settings, {
      ...parts,
      token,
      budgets: limits.quotas,
      keys: { lookAgain: () => workers.lookAtKeys() },
      metrics: {
        contentType: metrics.contentType,
        text: async () => metrics.textWith(await workers.metrics()),
      },
      clock,
      openThread,
    });
    return {
      url: admin.url,
      async stop() {
        await admin.stop();
        await parts.release();
      },
    };
  } catch (error) {
    await parts.release();
    throw error;
  }
}

const tokenFor = (settings: Settings): string | undefined =>
  settings["admin-port"] === undefined ? undefined : readToken(settings);

/** A small heap: the thread that serves shares the machine with it. */
const openThread = () =>
  new Worker(new URL("./upload-worker.ts", import.meta.url).href, { smol: true });
