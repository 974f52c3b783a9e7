/** The thread that loads the older demo matches, so that requests never wait for a transaction. */

import { unobserved } from "../observe/events.ts";
import { openShards } from "../open-stores.ts";
import {
  type DemoCommand,
  type DemoMessage,
  demoBytes,
  demoOptions,
  olderMatches,
  storeDemo,
} from "./demo-load.ts";
import { readingThreads } from "./ingest.ts";
import { describeError } from "./system-errors.ts";

declare const self: Worker;

const CACHE_KIB = 8 * 1024;

/** The server needs a core. */
const THREADS = readingThreads(navigator.hardwareConcurrency - 1);

const send = (message: DemoMessage) => self.postMessage(message);

let isStopped = false;

self.onmessage = async ({ data: command }: MessageEvent<DemoCommand>) => {
  if (command === "stop") isStopped = true;
  else send(await load(command));
};

async function load({ settings, plan }: Exclude<DemoCommand, "stop">): Promise<DemoMessage> {
  const shards = openShards(settings, unobserved, CACHE_KIB, "write");
  const bytes = demoBytes({ ...demoOptions(plan), end: olderMatches(plan) }, () => isStopped);
  try {
    await storeDemo(bytes, settings, shards, THREADS, send);
    return isStopped ? "stopped" : "complete";
  } catch (error) {
    return { error: describeError(error as Error) };
  } finally {
    await shards.close();
  }
}
