/** Opens the stores of shards as the settings say. The only importer of their adapters. */

import { readdirSync } from "node:fs";
import { join } from "node:path";
import { type Awaitable, closing } from "./domain/awaitable.ts";
import { isShardId } from "./domain/identifiers.ts";
import { type Observe, unobserved } from "./observe/events.ts";
import { type AccessSettings, readRedactionList } from "./open-access.ts";
import { checkRedactions, type ListEntry } from "./redact/list.ts";
import type { Settings } from "./settings/definitions.ts";
import type { ShardLocation } from "./settings/shard-locations.ts";
import type { Examined } from "./store/examined.ts";
import { allowedConnections, examineDatabase } from "./store/postgres/examine.ts";
import { RepairSchema } from "./store/postgres/repair-schema.ts";
import { OTHER_CONNECTIONS } from "./store/postgres/session.ts";
import { PostgresShard } from "./store/postgres/shard.ts";
import type { ShardRepair } from "./store/repair.ts";
import { type Shard, type ShardAccess, type Shards, ShardsInUse } from "./store/shards.ts";
import { examineFile } from "./store/sqlite/examine.ts";
import { openNewFile } from "./store/sqlite/new-file.ts";
import { RepairFile } from "./store/sqlite/repair-file.ts";
import { SqliteShard } from "./store/sqlite/shard.ts";
import { MAX_WAL_BYTES } from "./store/sqlite/wal-size.ts";
import type { Redaction, Writer } from "./store/store.ts";

const STORE_SUFFIX = ".db";

/** Only servers need a cache. */
type ShardSettings = Pick<Settings, "data" | "shards"> &
  Pick<AccessSettings, "keys-database"> &
  Partial<Pick<Settings, "cache-mib">> & {
    /** Whether shards that lack redactions may be read. */
    withUnredacted?: boolean;
  };

const MIB = 1024 * 1024;

/**
 * The shards of a deployment: those in the settings, else every store in the data folder. `writerCacheKib` limits
 * the memory of each writer, for a long-lived process that writes to many shards.
 */
export function openShards(
  settings: ShardSettings,
  observe: Observe,
  writerCacheKib?: number,
  access: ShardAccess = "write",
): Shards {
  return new ShardsInUse(
    settings.shards.map(({ id }) => id),
    () => storesIn(settings.data),
    (id) => openShard(id, settings, observe, writerCacheKib, access),
  );
}

function openShard(
  id: string,
  settings: ShardSettings,
  observe: Observe,
  writerCacheKib: number | undefined,
  access: ShardAccess,
): Shard {
  const { data } = settings;
  const location = locationOf(settings, id);
  const listed = settings.shards.find((one) => one.id === id);
  const common = {
    ...{ id, access, observe },
    cacheBytes: (settings["cache-mib"] ?? 0) * MIB,
    async checkRedactions(applied: () => Awaitable<Redaction[]>) {
      // Without a data folder there is no list of redactions, as for the files of a backup.
      if (data === "" || settings.withUnredacted) return;
      const damaged = await checkRedactions(await readRedactionList(settings), id, applied);
      if (damaged > 0) observe({ event: "redactions-damaged", shard: id, entries: damaged });
    },
  };
  if (location.engine === "postgres") {
    return new PostgresShard({ ...common, location, replicas: listed?.replicas });
  }
  return new SqliteShard({
    ...common,
    path: location.path,
    isListed: listed !== undefined,
    writerCacheKib,
  });
}

/** The location of a shard: from the settings, else its file in the data folder. */
export function locationOf(
  { data, shards }: Pick<Settings, "data" | "shards">,
  id: string,
): ShardLocation {
  const listed = shards.find((one) => one.id === id)?.location;
  return listed ?? { engine: "sqlite", path: join(data, `${id}${STORE_SUFFIX}`) };
}

/** The writer of a shard at any location. Creates the store if necessary. */
export const openWriter = (id: string, location: ShardLocation): Writer =>
  openShards({ data: "", shards: [{ id, location }] }, unobserved, undefined, "write").writer(id);

/** Waits for the writers of a damaged shard, and keeps them waiting. Throws StoreError. */
export const openRepair = (id: string, location: ShardLocation): Awaitable<ShardRepair> =>
  location.engine === "sqlite"
    ? new RepairFile(id, location.path)
    : RepairSchema.open(id, location);

/** For `matchbook doctor`: changes nothing. Throws StoreError. */
export async function examineShard(
  settings: ShardSettings,
  id: string,
  list: readonly ListEntry[],
): Promise<Examined> {
  const location = locationOf(settings, id);
  const replicas = settings.shards.find((shard) => shard.id === id)?.replicas;
  const found =
    location.engine === "sqlite"
      ? await examineFile(id, location.path)
      : await examineDatabase(id, location, replicas);
  if (typeof found === "string") return found;
  await using shards = closing(
    openShards({ ...settings, withUnredacted: true }, unobserved, undefined, "read"),
  );
  await checkRedactions(list, id, async () => {
    const writer = await shards.existingWriter(id);
    return writer?.redactions() ?? [];
  });
  return found;
}

export { allowedConnections, MAX_WAL_BYTES, OTHER_CONNECTIONS, openNewFile };

/** The ids of all shards, whether or not they can be opened. */
export const shardIds = ({ data, shards }: Pick<Settings, "data" | "shards">): string[] =>
  shards.length > 0 ? shards.map(({ id }) => id).sort() : storesIn(data);

/** The ids of the shards in a data folder. */
function storesIn(folder: string): string[] {
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
