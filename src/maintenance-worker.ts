/** A thread of the maintenance: prunes, builds or verifies shards, so that requests never wait for a transaction. */

import { setPriority } from "node:os";
import { buildShards } from "./maintenance/build.ts";
import { Retention } from "./maintenance/retention.ts";
import type { MaintenanceCommand } from "./maintenance/thread.ts";
import { verifyShards } from "./maintenance/verify.ts";
import type { Event } from "./observe/events.ts";
import { unobserved } from "./observe/events.ts";
import { openShards } from "./open-stores.ts";
import type { ShardAccess, Shards } from "./store/shards.ts";

declare const self: Worker;

const CACHE_KIB = 8 * 1024;
const HOUR_MS = 3_600_000;
const LOWEST_PRIORITY = 19;

const opened: Shards[] = [];
let stopTask: () => Promise<void>;

self.onmessage = async ({ data: command }: MessageEvent<MaintenanceCommand>) => {
  if (command === "stop") return stop();
  const { task, settings, pace } = command;
  // The server migrates and reports the shards.
  const open = (access: ShardAccess) => {
    const shards = openShards({ ...settings, "cache-mib": 0 }, unobserved, CACHE_KIB, access);
    opened.push(shards);
    return shards;
  };
  const writable = open("write");
  if (task === "prune") {
    const retentions = new Map(
      settings.shards.flatMap(({ id, retentionDays }) =>
        retentionDays === undefined ? [] : [[id, retentionDays]],
      ),
    );
    const retention = new Retention(writable, retentions, observe, Date.now, pace);
    stopTask = () => retention.stop();
    return;
  }
  // On Linux it is that of this thread.
  if (task === "verify" && process.platform === "linux") setPriority(0, LOWEST_PRIORITY);
  const stopping = new AbortController();
  const { signal } = stopping;
  const intervalMs = (settings["verify-hours"] ?? 0) * HOUR_MS;
  const ended =
    task === "build"
      ? buildShards(writable, observe, signal)
      : verifyShards({
          ...{ readable: open("read"), writable, scratch: settings.data },
          ...{ intervalMs, observe, signal },
        });
  stopTask = () => {
    stopping.abort();
    return ended;
  };
  await ended;
  return stop();
};

async function stop(): Promise<void> {
  await stopTask();
  for (const shards of opened) await shards.close();
  process.exit();
}

/** An error loses its class on the way. */
function observe(event: Event): void {
  self.postMessage(
    "error" in event ? { ...event, error: new Error((event.error as Error).message) } : event,
  );
}
