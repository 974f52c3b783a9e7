/** A thread of the maintenance: prunes shards by their retention, or builds derived tables, so that requests never wait for a transaction. */

import { buildShards } from "./maintenance/build.ts";
import { Retention } from "./maintenance/retention.ts";
import type { MaintenanceCommand } from "./maintenance/thread.ts";
import type { Event } from "./observe/events.ts";
import { unobserved } from "./observe/events.ts";
import { openShards } from "./open-stores.ts";
import type { Shards } from "./store/shards.ts";

declare const self: Worker;

const CACHE_KIB = 8 * 1024;

let shards: Shards;
let stopTask: () => Promise<void>;

self.onmessage = async ({ data: command }: MessageEvent<MaintenanceCommand>) => {
  if (command === "stop") return stop();
  const { task, settings, pace } = command;
  // The server migrates and reports the shards.
  shards = openShards({ ...settings, "cache-mib": 0 }, unobserved, CACHE_KIB, "write");
  if (task === "build") {
    const stopping = new AbortController();
    const ended = buildShards(shards, observe, stopping.signal);
    stopTask = () => {
      stopping.abort();
      return ended;
    };
    await ended;
    return stop();
  }
  const retentions = new Map(
    settings.shards.flatMap(({ id, retentionDays }) =>
      retentionDays === undefined ? [] : [[id, retentionDays]],
    ),
  );
  const retention = new Retention(shards, retentions, observe, Date.now, pace);
  stopTask = () => retention.stop();
};

async function stop(): Promise<void> {
  await stopTask();
  await shards.close();
  process.exit();
}

/** An error loses its class on the way. */
function observe(event: Event): void {
  self.postMessage(
    "error" in event ? { ...event, error: new Error((event.error as Error).message) } : event,
  );
}
