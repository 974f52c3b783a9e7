/** Starts the servers: from settings to stores, limits, metrics and listeners. */

import { createHmac } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { version } from "../package.json";
import { type Clock, steadyClock } from "./access/clock.ts";
import { AddressLimit, type AddressLimiter, invalidKeyLimit } from "./access/failed-keys.ts";
import { KeyLookup } from "./access/key-lookup.ts";
import { type Limiter, MemoryLimiter } from "./access/rate-limit.ts";
import { UsageRecorder } from "./access/usage-recorder.ts";
import { localCounters, randomSecret, type VisitorCounters, Visitors } from "./access/visitors.ts";
import { type AdminOptions, startAdmin } from "./admin/server.ts";
import { readToken } from "./admin/token.ts";
import { type AccessPlan, visitorLimits } from "./domain/limits.ts";
import { PROFILES } from "./endpoint/compat-profile.ts";
import { ResultCache } from "./endpoint/result-cache.ts";
import { FEATURES } from "./features/list.ts";
import { Bodies } from "./http/body.ts";
import { OverloadControl } from "./http/overload.ts";
import { Pictures } from "./http/pictures.ts";
import { Portal } from "./http/portal.ts";
import { type RunningServer, startServer } from "./http/server.ts";
import { shardStatuses } from "./http/status.ts";
import { needsBuild } from "./maintenance/build.ts";
import {
  type MaintenancePace,
  type MaintenanceTask,
  MaintenanceThread,
} from "./maintenance/thread.ts";
import { needsVerify } from "./maintenance/verify.ts";
import { type Observe, observeAll, onlyChanges } from "./observe/events.ts";
import { Metrics } from "./observe/metrics.ts";
import { type MetricFamily, merged } from "./observe/prometheus.ts";
import { accessPlan, type Limits, openAccess, openLimits, ownServices } from "./open-access.ts";
import { locationOf, openShards } from "./open-stores.ts";
import type { Settings } from "./settings/definitions.ts";
import { showLocation } from "./settings/shard-locations.ts";
import { recordServed, servedShards } from "./store/served-shards.ts";
import type { Shards } from "./store/shards.ts";

const HOUR_MS = 3_600_000;

const SYSTEM_CLOCK: Clock = { now: Date.now, monotonic: () => performance.now() };

export interface RunningMatchbook extends Omit<RunningServer, "families"> {
  /** The URL of the admin listener, if there is one. */
  adminUrl: string | undefined;
  metrics: Pick<Metrics, "families">;
}

/**
 * Starts the public server, and the admin listener if the settings enable it. `sharing` is for one of several
 * processes on the same port. `offeredKey` is a key that the portal offers to every visitor. `maintenancePace`,
 * `pace` and `redisResponseMs` are for tests.
 */
export async function serve(
  settings: Settings,
  log: Observe,
  unsteadyClock: Clock = SYSTEM_CLOCK,
  sharing?: WorkerLimits,
  offeredKey?: string,
  maintenancePace?: Partial<MaintenancePace>,
  pace?: Readonly<Record<string, number>>,
  redisResponseMs?: number,
): Promise<RunningMatchbook> {
  const parts = await openParts(settings, log, unsteadyClock, sharing, redisResponseMs);
  const { metrics, shards, keys, usage, limits, plan, clock, observe } = parts;
  const { limiter, quotas, shared } = limits;
  let operation: Operation | undefined;
  const release = async () => {
    await operation?.stop();
    await parts.release();
  };
  try {
    // The supervisor does this for all workers.
    if (!sharing) operation = startOperation(settings, parts, metrics, maintenancePace);
    const responseCache = (settings["cache-mib"] / 8) * 2 ** 20;
    const overload = new OverloadControl(
      { maxDelayMs: settings["max-delay-ms"], maxInFlight: settings["max-in-flight"] },
      observe,
    );
    const visitors = visitorsFor(settings, plan, limits.visitors, sharing?.visitorSecret);
    const server = startServer({
      version,
      shards,
      keys,
      visitors,
      guard: invalidKeyLimit(settings["open-requests-per-minute"], sharing?.failures),
      openLimit: new AddressLimit(settings["open-requests-per-minute"], sharing?.openRequests),
      limiter,
      quotas,
      sharedLimits: shared,
      usage,
      sharesPort: sharing !== undefined,
      maxOffset: settings["max-offset"],
      settings,
      profile: PROFILES[settings.compat],
      overload,
      // Two kinds of entries: what was read for a request, and its content compressed as a whole.
      results: new ResultCache(responseCache / 2),
      bodies: new Bodies(settings.compression, responseCache / 2, overload),
      portal: portalFor(settings, offeredKey, visitors),
      pace,
      clock,
      observe,
      release,
    });
    metrics.include(server.families);
    return {
      url: server.url,
      adminUrl: operation?.admin?.url,
      metrics,
      async stop(signal, drainMs) {
        // Uploads end while the public server drains.
        await Promise.all([operation?.admin?.stop(), server.stop(signal, drainMs)]);
      },
    };
  } catch (error) {
    await release();
    throw error;
  }
}

/** Undefined if visitors of the portal need a key. `shared`: the secret of the other workers. */
function visitorsFor(
  settings: Settings,
  plan: AccessPlan,
  counters: VisitorCounters,
  shared: string | undefined,
): Visitors | undefined {
  if (settings.portal === "off" || settings["portal-visitors"] === "off") return undefined;
  const hasToken = settings["admin-token"] !== "" || settings["admin-token-file"] !== "";
  // The same for all instances with this token.
  const secret = hasToken
    ? createHmac("sha256", readToken(settings)).update("portal visitors").digest("base64url")
    : (shared ?? randomSecret());
  return new Visitors(secret, visitorLimits(plan), counters);
}

/** Undefined if the portal is disabled. */
function portalFor(
  settings: Settings,
  offeredKey: string | undefined,
  visitors: Visitors | undefined,
): Portal | undefined {
  if (settings.portal === "off") return undefined;
  const folder = join(settings.data, "pictures");
  const pictures = existsSync(folder) ? new Pictures(folder) : undefined;
  return new Portal({ offeredKey, visitors, pictures });
}

/** Starts what runs once beside the workers. */
export async function serveBesideWorkers(
  settings: Settings,
  log: Observe,
  workers: { metrics(): Promise<MetricFamily[]> },
) {
  const parts = await openParts(settings, log, SYSTEM_CLOCK);
  const { metrics } = parts;
  try {
    const { admin, stop } = startOperation(settings, parts, {
      text: async () => metrics.text(await workers.metrics()),
      families: async () => merged([...metrics.families(), ...(await workers.metrics())]),
    });
    return { adminUrl: admin?.url, stop: () => stop().then(parts.release) };
  } catch (error) {
    await parts.release();
    throw error;
  }
}

/** A small heap, because the server runs on the same machine. */
const openThread = () =>
  new Worker(new URL("./upload-worker.ts", import.meta.url).href, { smol: true });

const openMaintenance = () =>
  new Worker(new URL("./maintenance-worker.ts", import.meta.url).href, { smol: true });

type Operation = ReturnType<typeof startOperation>;

/**
 * Starts what one process does for all workers: the admin listener if enabled, the maintenance of the shards, and the
 * work of features.
 */
function startOperation(
  settings: Settings,
  parts: Awaited<ReturnType<typeof openParts>>,
  metrics: AdminOptions["metrics"],
  maintenancePace?: Partial<MaintenancePace>,
) {
  const { token, shards, background, limits } = parts;
  const { quotas } = limits;
  // First, because the port may be in use.
  const admin =
    token === undefined
      ? undefined
      : startAdmin(settings, { ...parts, token, quotas, metrics, openThread });
  const observe: Observe = (event) => {
    if (event.event === "finding-not-stored" && event.verdict) {
      shards.holdVerdict(event.shard, event.verdict);
    }
    parts.observe(event);
  };
  const maintain = (task: MaintenanceTask, isNeeded: () => Promise<boolean>) =>
    new MaintenanceThread(task, isNeeded, openMaintenance, settings, observe, maintenancePace);
  const hours = settings["verify-hours"];
  const threads = [
    maintain("prune", async () =>
      settings.shards.some(({ retentionDays }) => retentionDays !== undefined),
    ),
    maintain("build", () => needsBuild(shards)),
    ...(hours ? [maintain("verify", () => needsVerify(shards, hours * HOUR_MS))] : []),
  ];
  for (const one of background) one.start();
  return {
    admin,
    async stop() {
      await admin?.stop();
      await Promise.all(background.map((one) => one.stop()));
      await Promise.all(threads.map((one) => one.stop()));
    },
  };
}

/** What workers on the same port share. */
interface WorkerLimits {
  limiter: Limiter;
  failures: AddressLimiter;
  openRequests: AddressLimiter;
  visitors: AddressLimiter;
  visitorSecret: string;
}

/** Opens every shard. One that cannot be opened is unavailable; the others are served. */
async function openParts(
  settings: Settings,
  log: Observe,
  unsteadyClock: Clock,
  sharing?: WorkerLimits,
  redisResponseMs?: number,
) {
  // Before anything is opened: without a token the start fails.
  const token = settings["admin-port"] === undefined ? undefined : readToken(settings);
  const clock = steadyClock(unsteadyClock);
  const plan = accessPlan(settings);
  const metrics = new Metrics({
    version,
    shardStates: () => shardStatuses({ shards, observe: watched }, { withSizes: true }),
    sharedLimits: () => limits?.shared,
  });
  const watched = observeAll([onlyChanges(log), metrics.observe]);
  const shards = openShards(settings, watched);
  const access = openAccess(settings);
  const keys = new KeyLookup(access.keys, plan, watched);
  const recorder = new UsageRecorder(access.usage, clock, watched);
  const features = ownServices(settings, access, shards);
  const background = FEATURES.flatMap(
    ({ name, operated }) =>
      operated?.background({ ...features.get(name)!, clock, observe: watched }) ?? [],
  );
  metrics.include(() => background.flatMap((one) => one.families()));
  let isRecording = false;
  let limits: Limits | undefined;
  const release = async () => {
    await keys.stop();
    limits?.close();
    if (isRecording) await recorder.stop();
    await access.close();
    await shards.close();
  };
  try {
    await createListed(settings, shards, watched);
    await shardStatuses({ shards, observe: watched }, { withSizes: false });
    await missClosed(plan.closedShards, shards, watched);
    await keys.start();
    await recorder.start();
    isRecording = true;
    const limiter = sharing?.limiter ?? new MemoryLimiter();
    const local = { limiter, quotas: recorder.quotas, visitors: localCounters(sharing?.visitors) };
    limits = await openLimits(settings, local, watched, redisResponseMs);
  } catch (error) {
    await release();
    throw error;
  }
  const countUsage: Observe = (event) => {
    if (event.event !== "request" || event.keyId === undefined) return;
    recorder.note(event.keyId, event.status, event.records, event.time);
  };
  return {
    token,
    clock,
    plan,
    metrics,
    shards,
    keyStore: access.keys,
    keys,
    usage: access.usage,
    background,
    limits,
    observe: observeAll([watched, countUsage]),
    release,
  };
}

/**
 * A shard in the settings exists from the start, even if it is empty. One that was served before and has no file any more
 * has lost its records.
 */
async function createListed(settings: Settings, shards: Shards, observe: Observe): Promise<void> {
  const { data } = settings;
  const served = servedShards(data);
  const inFiles: string[] = [];
  for (const id of shards.allowed ?? []) {
    const outcome = await shards.create(id);
    const isThere = outcome === "created" || outcome === "existing";
    if (isThere || (outcome === "failed" && served.has(id))) inFiles.push(id);
    if (outcome !== "created" || !served.has(id)) continue;
    observe({
      event: "shard-missing",
      shard: id,
      location: showLocation(locationOf(settings, id)),
    });
  }
  recordServed(data, inFiles);
}

/** Reports closed shards that do not exist: a typo would leave a shard open unnoticed. */
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
