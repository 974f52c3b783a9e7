/** In charge of the thread that stores uploads, so that requests never wait for a transaction. */

import type { Message, Order, StoringSettings } from "./admin/crossing.ts";
import { Storing } from "./admin/storing.ts";
import { unobserved } from "./observe/events.ts";
import { openShards } from "./shards.ts";
import type { Shards } from "./store/shards.ts";

declare const self: Worker;

/** For each shard. More makes it hardly faster, and the server would hold it for all of them. */
const CACHED_KIB = 8 * 1024;

let shards: Shards;
let storing: Storing;

self.onmessage = async ({ data: order }: MessageEvent<Order>) => {
  if (order.kind === "settings") start(order.settings, order.threads);
  else if (order.kind !== "close") storing.receive(order);
  else {
    await shards.close();
    say({ kind: "closed" });
  }
};

function start(settings: StoringSettings, threads: number): void {
  shards = openShards(settings, unobserved, CACHED_KIB);
  const options = {
    keeper: (id: string) => shards.keeper(id),
    clock: Date.now,
    batch: settings.batch,
    threads,
    context: {
      shards: shards.allowed,
      titleId: settings["title-id"],
      longest: settings["max-record-bytes"],
    },
  };
  storing = new Storing(options, say);
}

function say(message: Message): void {
  self.postMessage(message);
}
