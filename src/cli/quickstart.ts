/** `matchbook quickstart`: creates demo data on the first run, then serves it. */

import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { hashKey, looksLikeKey } from "../access/key.ts";
import type { KeyStore } from "../access/key-store.ts";
import { formatTimestamp } from "../domain/time.ts";
import { freePort } from "../http/listen.ts";
import { MEDIA_TYPE } from "../http/negotiate.ts";
import { ingest } from "../ingest/ingest.ts";
import { recordsIn } from "../ingest/report.ts";
import type { Bytes } from "../ingest/source.ts";
import { openAccess, openShards } from "../open-stores.ts";
import { WINDOW_MILLISECONDS } from "../query/parameters.ts";
import { writeQuery } from "../query/query-string.ts";
import { FLAG_NAMES, type Settings } from "../settings/definitions.ts";
import type { LoadedSettings } from "../settings/load.ts";
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
import { demoLines } from "./demo.ts";
import { ingestOptions } from "./ingest.ts";
import { noteMigration } from "./migrate.ts";
import { startProgress } from "./progress.ts";
import { serveUntilSignal } from "./serve.ts";

const DEMO_MATCHES = 10_000;
export const DEMO_SEED = 1;
/** Small, so that the first records are stored soon and progress is visible. */
const DEMO_BATCH = 500;
const DEMO_KEY = { name: "demo", rate: 6000 };

export const quickstart: AddCommand = (program) => {
  const command = program
    .command("quickstart")
    .description("create demo data on the first run, then serve it and print an example request")
    .action(async () => {
      const settings = openToVisitors(settingsOf(command));
      // Checked before demo data is created for a server that cannot listen.
      await freePort(settings);
      const shards = openShards(settings, noteMigration);
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
    ["matchbook quickstart", "demo data in the folder data"],
    ["matchbook quickstart --port 0 --data /tmp/matchbook", "another folder and a free port"],
  ]);
};

/** Unless a setting says otherwise, the portal of a demo needs no key. */
const openToVisitors = ({ values, origins }: LoadedSettings): Settings =>
  origins["portal-visitors"] === "default" ? { ...values, "portal-visitors": "on" } : values;

/** Stored in the data folder, so that the next run completes an interrupted one. */
interface DemoPlan {
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
  const plan = { until: Date.now(), matches: DEMO_MATCHES, ...begun, complete: false };
  writePlan(data, plan);
  note(`Creating ${plan.matches} demo matches in ${data} …`);
  const progress = startProgress("demo", plan.matches);
  try {
    await ingest([{ name: "demo data", bytes: demoBytes(plan) }], {
      ...ingestOptions(settings, shards),
      batch: DEMO_BATCH,
      onRejection: ({ problems }) => {
        throw new CommandError(`the demo data was rejected: ${problems.join("; ")}`);
      },
      onConflict: () => {},
      onProgress: (report) => progress.update(recordsIn(report), recordsIn(report)),
    });
  } finally {
    progress.stop();
  }
  writePlan(data, { ...plan, complete: true });
}

async function* demoBytes({ matches, until }: DemoPlan): Bytes {
  for (const lines of demoLines({ matches, seed: DEMO_SEED, until })) {
    yield Buffer.from(lines);
    // Lets messages of the reader threads arrive.
    await setImmediate();
  }
}

/**
 * The same key at every start, as long as it is valid. Keys are stored as hashes, so this one is also in its own
 * file: it is not a secret, because the portal offers it to every visitor.
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

/** A request for the newest match of the largest shard, with a wider time window if all matches are old. */
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
    hasPortal ? `  Portal        ${url}/` : `  API           ${url}`,
    `  Demo API key  ${key}   (${DEMO_KEY.rate} requests per minute)`,
    "",
    "  Fetch the newest match:",
    "",
    `  curl --compressed -H 'Authorization: Bearer ${key}' -H 'Accept: ${MEDIA_TYPE}' '${url}${path}'`,
    "",
    "  Press Ctrl-C to stop. The next start uses the same key.",
    "",
  ].join("\n");
}
