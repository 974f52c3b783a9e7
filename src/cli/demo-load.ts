/** The demo data of `matchbook quickstart`: the newest matches are stored before it serves, the others meanwhile. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import type { DemoOptions } from "../demo/demo.ts";
import { makeFolder, replaceFile } from "../durable-files.ts";
import { ingest } from "../ingest/ingest.ts";
import { recordsIn } from "../ingest/report.ts";
import type { Bytes } from "../ingest/source.ts";
import type { Settings } from "../settings/definitions.ts";
import type { Shards } from "../store/shards.ts";
import { CommandError } from "./command.ts";
import { demoLines } from "./demo.ts";
import { ingestOptions } from "./ingest.ts";

const DEMO_MATCHES = 10_000;
export const DEMO_SEED = 1;
/** Small, so that the first records are stored soon and progress is visible. */
const DEMO_BATCH = 500;
/** The part of the matches, the newest, that is stored before the server listens: eighteen hours of thirty days. */
const NEWEST_PART = 0.025;

/** Stored in the data folder, so that the next run completes an interrupted one. */
export interface DemoPlan {
  /** The time of the newest match: the same one gives the same matches. */
  until: number;
  matches: number;
  complete: boolean;
}

const planFile = (data: string) => join(data, "demo.json");

function readPlan(data: string): DemoPlan | undefined {
  try {
    return JSON.parse(readFileSync(planFile(data), "utf8")) as DemoPlan;
  } catch {
    return undefined;
  }
}

export function writePlan(data: string, plan: DemoPlan): void {
  replaceFile(planFile(data), `${JSON.stringify(plan)}\n`);
}

/** What is to be loaded; undefined if that is done, or if there are other records. */
export async function planDemo(data: string, shards: Shards): Promise<DemoPlan | undefined> {
  const begun = readPlan(data);
  if (begun ? begun.complete : !(await isEmpty(shards))) return undefined;
  makeFolder(data);
  const plan = { until: Date.now(), matches: DEMO_MATCHES, ...begun, complete: false };
  writePlan(data, plan);
  return plan;
}

async function isEmpty(shards: Shards): Promise<boolean> {
  for (const id of await shards.list()) if (await shards.existingWriter(id)) return false;
  return true;
}

export const demoOptions = ({ matches, until }: DemoPlan): DemoOptions => ({
  matches,
  seed: DEMO_SEED,
  until,
});

/** How many of the oldest matches are loaded while the server runs. */
export const olderMatches = ({ matches }: DemoPlan): number =>
  matches - Math.ceil(matches * NEWEST_PART);

/** What the thread needs of the settings. */
export type DemoSettings = Pick<
  Settings,
  "data" | "shards" | "batch" | "title-id" | "max-record-bytes"
>;

/** Stores demo matches. Those that are stored already change nothing. */
export async function storeDemo(
  bytes: Bytes,
  settings: DemoSettings,
  shards: Shards,
  threads: number,
  onProgress: (matches: number) => void = () => {},
): Promise<void> {
  await ingest([{ name: "demo data", bytes }], {
    ...ingestOptions(settings, shards),
    batch: DEMO_BATCH,
    threads,
    onRejection: ({ problems }) => {
      throw new CommandError(`the demo data was rejected: ${problems.join("; ")}`);
    },
    onConflict: () => {},
    onProgress: (report) => onProgress(recordsIn(report)),
  });
}

/** Demo matches as NDJSON, until `isStopped`. */
export async function* demoBytes(options: DemoOptions, isStopped = () => false): Bytes {
  for (const lines of demoLines(options)) {
    yield Buffer.from(lines);
    // Lets messages of other threads arrive.
    await setImmediate();
    if (isStopped()) return;
  }
}

/** To the thread. "stop" is sent after the first one. */
export type DemoCommand = { settings: DemoSettings; plan: DemoPlan } | "stop";

/** From the thread: how many matches it has stored, or how it ended. */
export type DemoMessage = number | "complete" | "stopped" | { error: string };
