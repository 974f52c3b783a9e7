/** `matchbook quickstart`: serves demo data, which it creates on the first run. */

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { hashKey, looksLikeKey } from "../access/key.ts";
import type { KeyStore } from "../access/key-store.ts";
import { closing } from "../domain/awaitable.ts";
import { MEDIA_TYPE } from "../endpoint/negotiate.ts";
import { freePort } from "../http/listen.ts";
import { ingest, ingestOptions } from "../ingest/ingest.ts";
import type { Bytes } from "../ingest/source.ts";
import { unobserved } from "../observe/events.ts";
import { openAccess } from "../open-access.ts";
import { openShards } from "../open-stores.ts";
import { FLAG_NAMES, type Settings } from "../settings/definitions.ts";
import type { Shards } from "../store/shards.ts";
import { CommandError, defineCommand, note, print, setDefaults } from "./command.ts";
import { demoLines } from "./demo.ts";
import { serveUntilSignal } from "./serve.ts";

/** As many as a newcomer waits for, and enough for the leaderboards. */
const DEMO = { matches: 1000, seed: 1 };
const DEMO_KEY = { name: "demo", rate: 6000 };

/** The portal of a demo needs no key, and what it prints is for people. */
const DEFAULTS = { "portal-visitors": "on", "log-level": "warn" };

export const quickstart = defineCommand({
  name: "quickstart",
  description: "serve demo data, created on the first run, and print an example request",
  settings: FLAG_NAMES,
  examples: {
    "matchbook quickstart": "demo data in the folder data",
    "matchbook quickstart --port 0 --data /tmp/matchbook": "another folder and a free port",
  },
  async run(context) {
    setDefaults(context.command, DEFAULTS);
    const { settings } = context;
    // Checked before demo data is created for a server that cannot listen.
    await freePort(settings);
    const example = await prepareShards(settings);
    const key = await demoKey(settings);
    const offered = settings.portal === "on" ? key : undefined;
    const greet = (url: string) => print(welcome(url, key, example, offered !== undefined));
    await serveUntilSignal(context.command, settings, greet, offered);
  },
});

/** Returns a request for the players seen last, who are there however old the matches are. */
async function prepareShards(settings: Settings): Promise<string> {
  await using shards = closing(openShards(settings, unobserved));
  if (await isEmpty(shards)) await storeDemo(settings, shards);
  const ids = await shards.list();
  return `/shards/${ids.includes("na") ? "na" : ids[0]}/players`;
}

async function isEmpty(shards: Shards): Promise<boolean> {
  for (const id of await shards.list()) if (await shards.existingWriter(id)) return false;
  return true;
}

async function storeDemo(settings: Settings, shards: Shards): Promise<void> {
  note(`Creating ${DEMO.matches} demo matches in ${settings.data} …`);
  await ingest([{ name: "demo data", bytes: demoBytes() }], {
    ...ingestOptions(settings, shards),
    // Threads would be ready too late.
    threads: 0,
    onRejection: ({ problems }) => {
      throw new CommandError(`the demo data was rejected: ${problems.join("; ")}`);
    },
    onConflict: () => {},
    onProgress: () => {},
  });
}

async function* demoBytes(): Bytes {
  for (const lines of demoLines({ ...DEMO, until: Date.now() })) yield Buffer.from(lines);
}

/**
 * The same key at every start, as long as it is valid. Keys are stored as hashes, so this one is also in its own
 * file: it is not a secret, because the portal offers it to every visitor.
 */
async function demoKey(settings: Settings): Promise<string> {
  const file = join(settings.data, "demo-key");
  await using access = closing(openAccess(settings));
  const known = existsSync(file) ? readFileSync(file, "utf8").trim() : "";
  if (await isLive(access.keys, known)) return known;
  const { key } = await access.keys.create(DEMO_KEY, Date.now());
  writeFileSync(file, `${key}\n`, { mode: 0o600 });
  return key;
}

async function isLive(keys: KeyStore, key: string): Promise<boolean> {
  if (!looksLikeKey(key) || !(await keys.exists())) return false;
  const hash = hashKey(key);
  const secret = (await keys.liveSecrets()).find((one) => one.hash === hash);
  return secret !== undefined && secret.until > Date.now();
}

function welcome(url: string, key: string, path: string, hasPortal: boolean): string {
  return [
    "",
    hasPortal ? `  Portal        ${url}/` : `  API           ${url}`,
    `  Demo API key  ${key}   (${DEMO_KEY.rate} requests per minute)`,
    "",
    "  Fetch some players:",
    "",
    `  curl --compressed -H 'Authorization: Bearer ${key}' -H 'Accept: ${MEDIA_TYPE}' '${url}${path}'`,
    "",
    "  Press Ctrl-C to stop. The next start uses the same key.",
    "",
  ].join("\n");
}
