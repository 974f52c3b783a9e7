/** In charge of wiring: the only importer of adapters, from settings to stores to server. */

import { readdirSync } from "node:fs";
import { join } from "node:path";
import { version } from "../package.json";
import { MemoryLimiter } from "./access/limiter.ts";
import { KeyWatch } from "./access/watch.ts";
import { checkFragment } from "./document/fragment.ts";
import { isShardId } from "./domain/identifiers.ts";
import { PROFILES } from "./http/profile.ts";
import { type RunningServer, startServer } from "./http/server.ts";
import type { Observe } from "./observe/events.ts";
import type { Settings } from "./settings/table.ts";
import type { Shards } from "./store/shards.ts";
import { SqliteKeeper } from "./store/sqlite/keeper.ts";
import { openForReading, openForWriting } from "./store/sqlite/open.ts";
import { SqliteReader } from "./store/sqlite/reader.ts";
import type { Keeper, Reader } from "./store/store.ts";

const STORE_SUFFIX = ".db";

/** Only who serves needs a cache. */
type ShardSettings = Pick<Settings, "data" | "shards"> & Partial<Pick<Settings, "cache-mib">>;

const MIB = 1024 * 1024;

/** The shards of a deployment: those the settings list, else every store in the data folder. */
export function openShards(settings: ShardSettings, observe: Observe): Shards {
  const places = new Map(settings.shards.map(({ id, location }) => [id, location]));
  const readers = new Map<string, Reader>();
  const keepers = new Map<string, Keeper>();
  const pathOf = (id: string) =>
    places.get(id)?.path ?? join(settings.data, `${id}${STORE_SUFFIX}`);
  const mayExist = (id: string) => (places.size > 0 ? places.has(id) : isShardId(id));

  const shards: Shards = {
    allowed: places.size > 0 ? new Set(places.keys()) : undefined,
    list: () => (places.size > 0 ? [...places.keys()].sort() : storesIn(settings.data)),
    reader(id) {
      const open = readers.get(id);
      if (open || !mayExist(id)) return open;
      const database = openForReading(pathOf(id));
      if (!database) return undefined;
      const cacheBytes = (settings["cache-mib"] ?? 0) * MIB;
      const reader = new SqliteReader(database, cacheBytes, checkFragment);
      readers.set(id, reader);
      observe({ event: "shard-opened", shard: id, location: pathOf(id) });
      return reader;
    },
    keeper(id) {
      const open = keepers.get(id) ?? new SqliteKeeper(openForWriting(pathOf(id)));
      keepers.set(id, open);
      return open;
    },
    existingKeeper(id) {
      return shards.reader(id) === undefined ? undefined : shards.keeper(id);
    },
    async close() {
      for (const store of [...readers.values(), ...keepers.values()]) await store.close();
      readers.clear();
      keepers.clear();
    },
  };
  return shards;
}

/** The ids of the shards that a data folder holds. */
export function storesIn(folder: string): string[] {
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch (error) {
    if ((error as { code?: string }).code === "ENOENT") return [];
    throw error;
  }
  return names
    .filter((name) => name.endsWith(STORE_SUFFIX))
    .map((name) => name.slice(0, -STORE_SUFFIX.length))
    .filter(isShardId)
    .sort();
}

/** Starts the public server. Every shard is opened first, so that an unfit file stops the start. */
export async function serve(settings: Settings, observe: Observe): Promise<RunningServer> {
  const shards = openShards(settings, observe);
  const keys = new KeyWatch(settings.data, observe);
  try {
    // A shard that is listed is there from the start, be it empty.
    for (const id of shards.allowed ?? []) shards.keeper(id);
    for (const id of await shards.list()) await shards.reader(id);
    keys.start();
    return startServer({
      version,
      shards,
      keys,
      limiter: new MemoryLimiter(),
      policy: { rate: settings.rate, burst: settings.burst },
      host: settings.host,
      port: settings.port,
      publicUrl: settings["public-url"],
      trustedProxies: settings["trusted-proxies"],
      maxOffset: settings["max-offset"],
      profile: PROFILES[settings.compat],
      farewellMs: settings["farewell-ms"],
      clock: { now: Date.now, monotonic: () => performance.now() },
      observe,
      async release() {
        keys.stop();
        await shards.close();
      },
    });
  } catch (error) {
    keys.stop();
    await shards.close();
    throw error;
  }
}
