/** A thread of the maintenance: prunes, builds or verifies shards, so that requests never wait for a transaction. */

import { buildShards } from "./maintenance/build.ts";
import { pruneShards } from "./maintenance/retention.ts";
import type { MaintenanceCommand } from "./maintenance/thread.ts";
import { verifyShards } from "./maintenance/verify.ts";
import type { Event } from "./observe/events.ts";
import { unobserved } from "./observe/events.ts";
import { openShards } from "./open-stores.ts";
import type { ShardAccess, Shards } from "./store/shards.ts";
import { lowerPriority } from "./verify/priority.ts";

declare const self: Worker;

const CACHE_KIB = 8 * 1024;
const HOUR_MS = 3_600_000;

const stopping = new AbortController();

self.onmessage = async ({ data: command }: MessageEvent<MaintenanceCommand>) => {
  if (command === "stop") return stopping.abort();
  const opened: Shards[] = [];
  // The server reports the shards.
  const open = (access: ShardAccess) => {
    const { settings } = command;
    const shards = openShards({ ...settings, "cache-mib": 0 }, unobserved, CACHE_KIB, access);
    opened.push(shards);
    return shards;
  };
  await runTask(command, open);
  for (const shards of opened) await shards.close();
  process.exit();
};

async function runTask(
  { task, settings }: Exclude<MaintenanceCommand, "stop">,
  open: (access: ShardAccess) => Shards,
): Promise<void> {
  const { signal } = stopping;
  const writable = open("write");
  if (task === "prune") return pruneShards(writable, settings.shards, observe, signal);
  if (task === "build") return buildShards(writable, observe, signal);
  // Elsewhere it would be that of the server.
  if (process.platform === "linux") lowerPriority();
  const intervalMs = (settings["verify-hours"] ?? 0) * HOUR_MS;
  const readable = open("read");
  await verifyShards({ readable, writable, scratch: settings.data, intervalMs, observe, signal });
}

/** An error loses its class on the way. */
function observe(event: Event): void {
  self.postMessage(
    "error" in event ? { ...event, error: new Error((event.error as Error).message) } : event,
  );
}
