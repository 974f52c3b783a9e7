/** Examines an installation without a server: runs every check of this folder, and changes nothing. */

import { readdirSync } from "node:fs";
import { join } from "node:path";
import { version } from "../../package.json";
import { readRedactionList } from "../open-access.ts";
import { examineShard, locationOf, shardIds } from "../open-stores.ts";
import type { ListEntry } from "../redact/list.ts";
import type { Settings } from "../settings/definitions.ts";
import type { LoadedSettings } from "../settings/load.ts";
import { servedShards } from "../store/served-shards.ts";
import { StoreError } from "../store/store.ts";
import { describeError } from "../text/system-errors.ts";
import { keyFindings, redactionFindings, redisFindings } from "./access.ts";
import { connectionFindings } from "./connections.ts";
import {
  diskFindings,
  folderFindings,
  type StoredFile,
  usesFolder,
  walEstimate,
} from "./data-folder.ts";
import { type Finding, ok, problem } from "./findings.ts";
import { settingsFindings } from "./settings.ts";
import { type ShardFacts, shardFindings } from "./shards.ts";

export const versionFinding = (): Finding =>
  ok("versions", `Matchbook ${version}, Bun ${Bun.version}`);

export async function examine(loaded: LoadedSettings, now: number): Promise<Finding[]> {
  const settings = loaded.values;
  const folder = folderFindings(settings);
  const hasFolder = usesFolder(settings) && canList(settings.data);
  const ids = settings.shards.length > 0 || hasFolder ? shardIds(settings) : [];
  // In parallel, because a database that is unavailable takes a while to fail.
  const list = readRedactionList(settings).then(
    (entries) => ({ entries, error: undefined }),
    (error: Error) => ({ entries: [], error }),
  );
  const [shards, connections, keys, redis] = await Promise.all([
    Promise.all(ids.map((id) => readShard(settings, id, list))),
    connectionFindings(settings),
    keyFindings(settings, now),
    redisFindings(settings),
  ]);
  const { entries, error } = await list;
  // For a database it is said already: it is that of the keys.
  const isReported = error === undefined || settings["keys-database"] !== undefined;
  const redactions = isReported
    ? redactionFindings(entries)
    : [problem("redactions", describeError(error))];
  const served = servedShards(settings.data);
  return [
    versionFinding(),
    ...settingsFindings(loaded),
    ...folder,
    ...diskFindings(storedFiles(settings, shards, hasFolder), walEstimate(settings.batch)),
    ...shards.flatMap((facts) =>
      shardFindings(facts, { settings, now, wasServed: served.has(facts.id) }),
    ),
    ...connections,
    ...keys,
    ...redactions,
    ...redis,
  ];
}

function canList(folder: string): boolean {
  try {
    readdirSync(folder);
    return true;
  } catch {
    return false;
  }
}

async function readShard(
  settings: Settings,
  id: string,
  list: Promise<{ entries: ListEntry[] }>,
): Promise<ShardFacts> {
  const location = locationOf(settings, id);
  try {
    return { id, location, found: await examineShard(settings, id, (await list).entries) };
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    return { id, location, found: { error } };
  }
}

/** The data folder counts as a file in it: keys and usage are there, and new shards. */
function storedFiles(
  { data }: Settings,
  shards: readonly ShardFacts[],
  hasFolder: boolean,
): StoredFile[] {
  const files = shards.flatMap(({ location, found }) =>
    location.engine === "sqlite" && typeof found === "object" && "format" in found
      ? { path: location.path, bytes: found.bytes }
      : [],
  );
  return hasFolder ? [{ path: join(data, "access.sqlite"), bytes: 0 }, ...files] : files;
}
