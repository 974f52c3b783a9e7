/** `matchbook quickstart`: demo data on the first run, then a server to try at once. */

import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { hashKey, looksLikeKey } from "../access/key.ts";
import type { KeyStore } from "../access/key-store.ts";
import { DEMO_SHARDS, regionOf } from "../demo/regions.ts";
import { formatTimestamp } from "../domain/time.ts";
import { freePort } from "../http/listen.ts";
import { MEDIA_TYPE } from "../http/negotiate.ts";
import { unobserved } from "../observe/events.ts";
import { openAccess, openShards } from "../open-stores.ts";
import { WINDOW_MILLISECONDS } from "../query/parameters.ts";
import { writeQuery } from "../query/query-string.ts";
import { FLAG_NAMES, type Settings } from "../settings/definitions.ts";
import type { Shards } from "../store/shards.ts";
import {
  type AddCommand,
  CommandError,
  note,
  print,
  settingsOf,
  withExamples,
  withSettings,
} from "./command.ts";
import type { DemoProgress, Job, Share } from "./demo-worker.ts";
import { startProgress } from "./progress.ts";
import { serveUntilSignal } from "./serve.ts";

const DEMO_MATCHES = 20_000;
const DEMO_SEED = 1;
const DEMO_KEY = { name: "demo", rate: 6000 };

export const quickstart: AddCommand = (program) => {
  const command = program
    .command("quickstart")
    .description(
      "on first run fill the shards with demo data; then serve, and print an example request",
    )
    .action(async () => {
      const { values: settings } = settingsOf(command);
      // Checked before demo data is created for a server that cannot listen.
      await freePort(settings);
      const shards = openShards(settings, unobserved);
      let example: string;
      try {
        await fillWithDemo(settings, shards);
        example = await examplePath(shards);
      } finally {
        await shards.close();
      }
      const key = await demoKey(settings);
      const offered = settings.portal === "on" ? key : undefined;
      const greet = (url: string) => print(welcome(url, key, example, offered !== undefined));
      await serveUntilSignal(command, settings, greet, offered);
    });
  withSettings(command, FLAG_NAMES);
  withExamples(command, [
    ["matchbook quickstart", "try Matchbook with demo data in the folder data"],
    ["matchbook quickstart --port 0 --data /tmp/matchbook", "elsewhere, on a free port"],
  ]);
};

/** Stored in the data folder, so that the next run completes one that was interrupted. */
interface DemoPlan {
  shares: Share[];
  complete: boolean;
}

function newPlan(matches: number, until: number): DemoPlan {
  const regions = DEMO_SHARDS.map(regionOf);
  const weights = regions.reduce((sum, { weight }) => sum + weight, 0);
  return {
    // The largest first: the small ones fill the gaps at the end.
    shares: regions
      .toSorted((one, other) => other.weight - one.weight)
      .map(({ shard, weight }) => ({
        shard,
        matches: Math.max(1, Math.round((matches * weight) / weights)),
        seed: DEMO_SEED,
        until,
      })),
    complete: false,
  };
}

const planFile = (data: string) => join(data, "demo.json");

function readPlan(data: string): DemoPlan | undefined {
  try {
    return JSON.parse(readFileSync(planFile(data), "utf8")) as DemoPlan;
  } catch {
    return undefined;
  }
}

function writePlan(data: string, plan: DemoPlan): void {
  writeFileSync(`${planFile(data)}.new`, `${JSON.stringify(plan)}\n`);
  renameSync(`${planFile(data)}.new`, planFile(data));
}

async function isEmpty(shards: Shards): Promise<boolean> {
  for (const id of await shards.list()) if (await shards.existingWriter(id)) return false;
  return true;
}

async function fillWithDemo(settings: Settings, shards: Shards): Promise<void> {
  const { data } = settings;
  const begun = readPlan(data);
  if (begun ? begun.complete : !(await isEmpty(shards))) return;

  mkdirSync(data, { recursive: true });
  const plan = begun ?? newPlan(DEMO_MATCHES, Date.now());
  writePlan(data, plan);
  const total = plan.shares.reduce((sum, { matches }) => sum + matches, 0);
  note(`Creating ${total} demo matches in ${data} …`);
  const progress = startProgress("demo", total);
  const counts = new Map<Share, number>();
  try {
    await fillInParallel(plan.shares, settings, (share, records) => {
      counts.set(share, records);
      const sum = [...counts.values()].reduce((all, one) => all + one, 0);
      progress.update(sum, sum);
    });
  } finally {
    progress.stop();
  }
  writePlan(data, { ...plan, complete: true });
}

/** Fills the shards with as many workers as there are cores. */
async function fillInParallel(
  shares: readonly Share[],
  settings: Settings,
  onProgress: (share: Share, records: number) => void,
): Promise<void> {
  const waiting = [...shares];
  // Other settings cannot be sent to a worker.
  const { data, shards } = settings;
  const plain = {
    data,
    shards,
    batch: settings.batch,
    "title-id": settings["title-id"],
    "max-record-bytes": settings["max-record-bytes"],
  };
  const work = async () => {
    const worker = new Worker(new URL("./demo-worker.ts", import.meta.url).href);
    try {
      for (let share = waiting.shift(); share; share = waiting.shift()) {
        await runJob(worker, { share, settings: plain }, onProgress);
      }
    } finally {
      worker.terminate();
    }
  };
  const cores = Math.min(navigator.hardwareConcurrency, shares.length);
  await Promise.all(Array.from({ length: cores }, work));
}

function runJob(
  worker: Worker,
  job: Job,
  onProgress: (share: Share, records: number) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    worker.onerror = ({ message }) => reject(new CommandError(`the demo data failed: ${message}`));
    worker.onmessage = ({ data }: MessageEvent<DemoProgress>) => {
      onProgress(job.share, data.records);
      if (data.problem) reject(new CommandError(`the demo data was rejected: ${data.problem}`));
      else if (data.done) resolve();
    };
    worker.postMessage(job);
  });
}

/**
 * The same key at every start, as long as it is valid. Keys are stored as hashes, so this one is also in a
 * file of its own: it is not a secret, since the portal offers it to every visitor.
 */
async function demoKey(settings: Settings): Promise<string> {
  const file = join(settings.data, "demo-key");
  const access = openAccess(settings);
  try {
    const known = existsSync(file) ? readFileSync(file, "utf8").trim() : "";
    if (await isLive(access.keys, known)) return known;
    const { key } = await access.keys.create(DEMO_KEY, Date.now());
    mkdirSync(settings.data, { recursive: true });
    writeFileSync(file, `${key}\n`, { mode: 0o600 });
    return key;
  } finally {
    await access.close();
  }
}

async function isLive(keys: KeyStore, key: string): Promise<boolean> {
  if (!looksLikeKey(key) || !(await keys.exists())) return false;
  const hash = hashKey(key);
  const secret = (await keys.liveSecrets()).find((one) => one.hash === hash);
  return secret !== undefined && secret.until > Date.now();
}

/** The newest match of the busiest shard; where all are old, the window is opened for them. */
async function examplePath(shards: Shards): Promise<string> {
  let best = { id: "na", served: -1, newest: undefined as number | undefined };
  for (const id of await shards.list()) {
    const counts = await (await shards.existingWriter(id))?.counts();
    if (counts && counts.served > best.served) {
      best = { id, served: counts.served, newest: counts.newestMatch };
    }
  }
  const { newest } = best;
  const isOld = newest !== undefined && newest < Date.now() - WINDOW_MILLISECONDS;
  const query = writeQuery([
    ["sort", "-createdAt"],
    ["page[limit]", "1"],
    ...(isOld ? [["filter[createdAt-start]", formatTimestamp(newest - 1000)] as const] : []),
  ]);
  return `/shards/${best.id}/matches?${query}`;
}

function welcome(url: string, key: string, path: string, hasPortal: boolean): string {
  return [
    "",
    hasPortal ? `  Open the portal at    ${url}/` : `  Matchbook serves at   ${url}`,
    `  Your demo API key     ${key}   (${DEMO_KEY.rate} requests per minute)`,
    "",
    "  Fetch the newest match:",
    "",
    `  curl --compressed -H 'Authorization: Bearer ${key}' -H 'Accept: ${MEDIA_TYPE}' '${url}${path}'`,
    "",
    "  Stop with Ctrl-C. The key stays valid: the next start uses it again.",
    "",
  ].join("\n");
}
