/** In charge of which store each shard has: the only importer of adapters. */

import { readdirSync } from "node:fs";
import { join } from "node:path";
import { checkFragment } from "./document/fragment.ts";
import { isShardId } from "./domain/identifiers.ts";
import type { Observe } from "./observe/events.ts";
import type { PostgresLocation } from "./settings/postgres.ts";
import type { ShardLocation, ShardReplicas } from "./settings/shards.ts";
import type { Settings } from "./settings/table.ts";
import { PostgresKeeper } from "./store/postgres/keeper.ts";
import { PostgresReader } from "./store/postgres/reader.ts";
import { ReplicatedReader } from "./store/postgres/replicas.ts";
import { Session, sessionForReading } from "./store/postgres/session.ts";
import type { Shards } from "./store/shards.ts";
import { SqliteKeeper } from "./store/sqlite/keeper.ts";
import { openForReading, openForWriting } from "./store/sqlite/open.ts";
import { SqliteReader } from "./store/sqlite/reader.ts";
import { type Awaitable, after, type Keeper, type Reader } from "./store/store.ts";

const STORE_SUFFIX = ".db";

/** Only who serves needs a cache. */
type ShardSettings = Pick<Settings, "data" | "shards"> & Partial<Pick<Settings, "cache-mib">>;

const MIB = 1024 * 1024;

/** One writes, one answers questions meanwhile. */
const WRITING_CONNECTIONS = 2;

/** One shard's store, opened as far as it is needed. */
interface Store {
  /** Where it is, as it may be shown. */
  location: string;
  /** Undefined when there is no shard (yet). */
  reader(): Awaitable<Reader | undefined>;
  keeper(): Keeper;
}

/**
 * The shards of a deployment: those the settings list, else every store in the data folder. Who writes
 * to many of them in a long-lived process may want each to keep less in memory (`writerCacheKib`).
 */
export function openShards(
  settings: ShardSettings,
  observe: Observe,
  writerCacheKib?: number,
): Shards {
  const places = new Map(settings.shards.map((place) => [place.id, place]));
  const readers = new Map<string, Reader>();
  const keepers = new Map<string, Keeper>();
  const cacheBytes = (settings["cache-mib"] ?? 0) * MIB;
  const mayExist = (id: string) => (places.size > 0 ? places.has(id) : isShardId(id));
  const storeOf = (id: string): Store => {
    const { location, replicas } = places.get(id) ?? {};
    if (location?.engine === "postgres")
      return postgresStore(location, replicas, () => shards.keeper(id), cacheBytes);
    const path = location?.path ?? join(settings.data, `${id}${STORE_SUFFIX}`);
    return sqliteStore(path, cacheBytes, writerCacheKib);
  };

  const shards: Shards = {
    allowed: places.size > 0 ? new Set(places.keys()) : undefined,
    list: () => (places.size > 0 ? [...places.keys()].sort() : storesIn(settings.data)),
    reader(id) {
      const open = readers.get(id);
      if (open || !mayExist(id)) return open;
      const store = storeOf(id);
      return after(store.reader(), (reader) => {
        // Another request may have been faster.
        const faster = readers.get(id);
        if (faster || !reader) {
          void reader?.close();
          return faster;
        }
        readers.set(id, reader);
        observe({ event: "shard-opened", shard: id, location: store.location });
        return reader;
      });
    },
    keeper(id) {
      const open = keepers.get(id) ?? storeOf(id).keeper();
      keepers.set(id, open);
      return open;
    },
    existingKeeper: (id) =>
      after(shards.reader(id), (reader) => (reader ? shards.keeper(id) : undefined)),
    async close() {
      for (const store of [...readers.values(), ...keepers.values()]) await store.close();
      readers.clear();
      keepers.clear();
    },
  };
  return shards;
}

function sqliteStore(path: string, cacheBytes: number, writerCacheKib: number | undefined): Store {
  return {
    location: path,
    reader() {
      const database = openForReading(path);
      return database && new SqliteReader(database, cacheBytes, checkFragment);
    },
    keeper: () => new SqliteKeeper(openForWriting(path, writerCacheKib)),
  };
}

/** Its tables are made by whoever comes first. A database that is away is asked again each time. */
function postgresStore(
  place: PostgresLocation,
  replicas: ShardReplicas | undefined,
  keeper: () => Keeper,
  cacheBytes: number,
): Store {
  return {
    location: place.shown,
    async reader() {
      await (keeper() as PostgresKeeper).ready();
      if (replicas) {
        const reader = new ReplicatedReader(place, replicas, cacheBytes, checkFragment);
        await reader.look();
        return reader;
      }
      return new PostgresReader(sessionForReading(place), cacheBytes, checkFragment);
    },
    keeper: () => new PostgresKeeper(new Session({ ...place, pool: WRITING_CONNECTIONS })),
  };
}

/** Where a shard lives, or would: its place in the settings, else its file in the data folder. */
export function locationOf(
  { data, shards }: Pick<Settings, "data" | "shards">,
  id: string,
): ShardLocation {
  const listed = shards.find((one) => one.id === id)?.location;
  return listed ?? { engine: "sqlite", path: join(data, `${id}${STORE_SUFFIX}`) };
}

/** The keeper of a shard that need not be in the settings, made when it is not there yet. */
export function openKeeper(location: ShardLocation): Keeper {
  return location.engine === "postgres"
    ? new PostgresKeeper(new Session({ ...location, pool: WRITING_CONNECTIONS }))
    : new SqliteKeeper(openForWriting(location.path));
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
