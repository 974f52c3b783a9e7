/** A thread of the maintenance: prunes, builds or verifies shards, so that requests never wait for a transaction. */

import { closing } from "./domain/awaitable.ts";
import { buildShards } from "./maintenance/build.ts";
import { pruneShards } from "./maintenance/retention.ts";
import type { MaintenanceCommand, MaintenanceSettings } from "./maintenance/thread.ts";
import { verifyShards } from "./maintenance/verify.ts";
import type { Event } from "./observe/events.ts";
import { unobserved } from "./observe/events.ts";
import { openShards } from "./open-stores.ts";
import type { ShardAccess } from "./store/shards.ts";
import { lowerPriority } from "./verify/priority.ts";

declare const self: Worker;

const CACHE_KIB = 8 * 1024;
const HOUR_MS = 3_600_000;

const stopping = new AbortController();

self.onmessage = async ({ data: command }: MessageEvent<MaintenanceCommand>) => {
  if (command === "stop") return stopping.abort();
  await runTask(command);
  process.exit();
};

/** The server reports the shards. */
const open = (settings: MaintenanceSettings, access: ShardAccess) =>
  closing(openShards({ ...settings, "cache-mib": 0 }, unobserved, CACHE_KIB, access));

async function runTask({ task, settings }: Exclude<MaintenanceCommand, "stop">): Promise<void> {
  const { signal } = stopping;
  await using writable = open(settings, "write");
  if (task === "prune") return await pruneShards(writable, settings.shards, observe, signal);
  if (task === "build") return await buildShards(writable, observe, signal);
  // Elsewhere it would be that of the server.
  if (process.platform === "linux") lowerPriority();
  const intervalMs = (settings["verify-hours"] ?? 0) * HOUR_MS;
  await using readable = open(settings, "read");
  await verifyShards({ readable, writable, scratch: settings.data, intervalMs, observe, signal });
}

/** An error loses its class on the way. */
function observe(event: Event): void {
  self.postMessage(
    "error" in event ? { ...event, error: new Error((event.error as Error).message) } : event,
  );
}
