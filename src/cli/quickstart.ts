/** In charge of `matchbook quickstart`: demo data on the first run, then a server to try at once. */

import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openKeyring } from "../access/keyring.ts";
import { demoDocuments } from "../demo/demo.ts";
import { formatTimestamp } from "../domain/time.ts";
import { MEDIA_TYPE } from "../http/negotiate.ts";
import { ingest } from "../ingest/ingest.ts";
import { recordsIn } from "../ingest/report.ts";
import { unobserved } from "../observe/events.ts";
import { WINDOW_MILLISECONDS } from "../query/limits.ts";
import { writeQuery } from "../query/pairs.ts";
import type { Settings } from "../settings/table.ts";
import type { Shards } from "../store/shards.ts";
import { openShards } from "../wiring.ts";
import { ingestOptions } from "./ingest.ts";
import { startProgress } from "./progress.ts";
import { SERVER_SETTINGS, serveUntilSignal } from "./serve.ts";
import { Failure, note, print, settingsOf, type Verb, withExamples, withSettings } from "./verb.ts";

const DEMO_MATCHES = 20_000;
const DEMO_KEY = { name: "demo", rate: 6000 };

export const quickstart: Verb = (program) => {
  const command = program
    .command("quickstart")
    .description("on first run fill the shards with demo data; then serve, and print how to ask")
    .action(async () => {
      const { values: settings } = settingsOf(command);
      const shards = openShards(settings, unobserved);
      let example: string;
      try {
        await fillWithDemo(settings, shards);
        example = await examplePath(shards);
      } finally {
        await shards.close();
      }
      const key = freshDemoKey(settings.data);
      await serveUntilSignal(settings, (url) => print(welcome(url, key, example)));
    });
  withSettings(command, SERVER_SETTINGS);
  withExamples(command, [
    ["matchbook quickstart", "try Matchbook with demo data in the folder data"],
    ["matchbook quickstart --port 0 --data /tmp/matchbook", "elsewhere, on a free port"],
  ]);
};

/** The demo that a data folder was begun with: a run that was cut short is completed by the next. */
interface Plan {
  matches: number;
  seed: number;
  until: number;
  complete: boolean;
}

async function fillWithDemo(settings: Settings, shards: Shards): Promise<void> {
  const file = join(settings.data, "demo.json");
  const begun = readPlan(file);
  const isEmpty = (await shards.list()).every((id) => !shards.existingKeeper(id));
  if (begun ? begun.complete : !isEmpty) return;

  const plan: Plan = begun ?? {
    matches: DEMO_MATCHES,
    seed: 1,
    until: Date.now(),
    complete: false,
  };
  mkdirSync(settings.data, { recursive: true });
  writePlan(file, plan);
  note(`Making ${plan.matches} demo matches in ${settings.data} …`);
  const progress = startProgress("demo", plan.matches);
  const report = await ingest([{ name: "demo data", bytes: lines(plan) }], {
    ...ingestOptions(settings, shards, undefined),
    replace: false,
    onRejection: ({ problems }) => note(problems.join("\n")),
    onConflict: () => {},
    onProgress: (soFar) => progress.update(recordsIn(soFar), recordsIn(soFar)),
  });
  progress.stop();
  if (report.rejected > 0) throw new Failure("the demo data does not fit these settings");
  writePlan(file, { ...plan, complete: true });
}

async function* lines(plan: Plan): AsyncGenerator<Uint8Array> {
  for (const document of demoDocuments(plan)) yield Buffer.from(`${JSON.stringify(document)}\n`);
}

function readPlan(file: string): Plan | undefined {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as Plan;
  } catch {
    return undefined;
  }
}

function writePlan(file: string, plan: Plan): void {
  writeFileSync(`${file}.new`, `${JSON.stringify(plan)}\n`);
  renameSync(`${file}.new`, file);
}

/** Keys are kept as hashes only, so that an old one cannot be shown again: a new one replaces it. */
function freshDemoKey(data: string): string {
  const keyring = openKeyring(data);
  try {
    for (const { id, name, revokedAt } of keyring.list()) {
      if (name === DEMO_KEY.name && revokedAt === null) keyring.revoke(id, Date.now());
    }
    return keyring.create(DEMO_KEY, Date.now()).key;
  } finally {
    keyring.close();
  }
}

/** The newest match of the busiest shard; where all are old, the window is opened for them. */
async function examplePath(shards: Shards): Promise<string> {
  let best = { id: "na", served: -1, newest: undefined as number | undefined };
  for (const id of await shards.list()) {
    const counts = await shards.existingKeeper(id)?.counts();
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

function welcome(url: string, key: string, path: string): string {
  return [
    "",
    `  Matchbook serves at   ${url}`,
    `  Your demo API key     ${key}   (${DEMO_KEY.rate} requests a minute)`,
    "",
    "  Ask for the newest match:",
    "",
    `  curl --compressed -H 'Authorization: Bearer ${key}' -H 'Accept: ${MEDIA_TYPE}' '${url}${path}'`,
    "",
    "  Stop with Ctrl-C. Each start makes a new demo key and ends the one before.",
    "",
  ].join("\n");
}
