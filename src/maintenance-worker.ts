/** The thread that prunes shards by their retention, so that requests never wait for a transaction. */

import { Retention } from "./maintenance/retention.ts";
import type { MaintenanceCommand } from "./maintenance/thread.ts";
import type { Event } from "./observe/events.ts";
import { unobserved } from "./observe/events.ts";
import { openShards } from "./open-stores.ts";
import type { Shards } from "./store/shards.ts";

declare const self: Worker;

const CACHE_KIB = 8 * 1024;

let shards: Shards;
let retention: Retention;

self.onmessage = async ({ data: command }: MessageEvent<MaintenanceCommand>) => {
  if (command === "stop") {
    await retention.stop();
    await shards.close();
    process.exit();
  }
  const { settings, pace } = command;
  const retentions = new Map(
    settings.shards.flatMap(({ id, retentionDays }) =>
      retentionDays === undefined ? [] : [[id, retentionDays]],
    ),
  );
  // The server migrates and reports the shards.
  shards = openShards({ ...settings, "cache-mib": 0 }, unobserved, CACHE_KIB, "write");
  retention = new Retention(shards, retentions, observe, Date.now, pace);
};

/** An error loses its class on the way. */
function observe(event: Event): void {
  self.postMessage(
    "error" in event ? { ...event, error: new Error((event.error as Error).message) } : event,
  );
}
