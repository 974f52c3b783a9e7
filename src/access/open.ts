/**
 * Opens what the settings choose: keys and usage in the data folder or in a PostgreSQL, limits in this
 * process or in a Redis. PostgreSQL and Redis are shared by several instances.
 */

import { join } from "node:path";
import type { Observe } from "../observe/events.ts";
import type { SharedLimitsState } from "../observe/metrics.ts";
import { KeyStore } from "./key-store.ts";
import { PostgresDatabase } from "./postgres/database.ts";
import type { Quotas } from "./quota.ts";
import type { Limiter } from "./rate-limit.ts";
import { RedisLimiter, RedisQuotas } from "./redis/limits.ts";
import { RedisLink } from "./redis/link.ts";
import { SqliteDatabase } from "./sqlite/database.ts";
import { KEYS_FILE, USAGE_FILE } from "./sqlite/schema.ts";
import { UsageStore } from "./usage-store.ts";

export interface AccessStore {
  keys: KeyStore;
  usage: UsageStore;
  close(): Promise<void>;
}

/** The settings that say where keys and usage are. */
interface AccessSettings {
  data: string;
  "keys-database"?: ConstructorParameters<typeof PostgresDatabase>[0] | undefined;
}

/** Nothing is created or connected to before it is needed. */
export function openAccess({ data, "keys-database": location }: AccessSettings): AccessStore {
  if (location) {
    const database = new PostgresDatabase(location);
    return {
      keys: new KeyStore(database),
      usage: new UsageStore(database),
      close: () => database.close(),
    };
  }
  const keys = new SqliteDatabase(join(data, KEYS_FILE.name), KEYS_FILE);
  const usage = new SqliteDatabase(join(data, USAGE_FILE.name), USAGE_FILE);
  return {
    keys: new KeyStore(keys),
    usage: new UsageStore(usage),
    async close() {
      await keys.close();
      await usage.close();
    },
  };
}

export interface Limits {
  limiter: Limiter;
  quotas: Quotas;
  /** As it is now; undefined where limits are not meant to be shared. */
  shared: SharedLimitsState | undefined;
  close(): void;
}

/** `local` counts alone, or beside Redis, and alone again while that is unavailable. */
export async function openLimits(
  { redis }: { redis: string },
  local: Pick<Limits, "limiter" | "quotas">,
  observe: Observe,
): Promise<Limits> {
  if (redis === "") return { ...local, shared: undefined, close() {} };
  const link = new RedisLink(redis, observe);
  await link.open();
  return {
    limiter: new RedisLimiter(link, local.limiter),
    quotas: new RedisQuotas(link, local.quotas),
    shared: link,
    close: () => link.close(),
  };
}
