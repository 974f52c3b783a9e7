/** Opens the stores of keys, usage, hooks and limits as the settings say. The only importer of their adapters. */

import { join } from "node:path";
import { AccessError } from "./access/key-database.ts";
import { KeyStore } from "./access/key-store.ts";
import { PostgresDatabase } from "./access/postgres/database.ts";
import { HOOK_TABLES } from "./access/postgres/schema.ts";
import type { Quotas } from "./access/quota.ts";
import type { Limiter } from "./access/rate-limit.ts";
import { redisVersion } from "./access/redis/examine.ts";
import { RedisLimiter, RedisQuotas } from "./access/redis/limits.ts";
import { RedisLink } from "./access/redis/link.ts";
import { SqliteDatabase } from "./access/sqlite/database.ts";
import { HOOKS_FILE, KEYS_FILE, REDACTIONS_FILE, USAGE_FILE } from "./access/sqlite/schema.ts";
import { UsageStore } from "./access/usage-store.ts";
import type { VisitorCounters } from "./access/visitors.ts";
import type { AccessPlan } from "./domain/limits.ts";
import { HookStore } from "./hooks/hook-store.ts";
import { send } from "./hooks/send.ts";
import type { Observe } from "./observe/events.ts";
import type { SharedLimitsState } from "./observe/metrics.ts";
import { type ListEntry, RedactionList } from "./redact/list.ts";
import type { Settings } from "./settings/definitions.ts";
import { StoreError } from "./store/store.ts";

export { redisVersion };

export interface AccessStore {
  keys: KeyStore;
  usage: UsageStore;
  hooks: HookStore;
  redactions: RedactionList;
  close(): Promise<void>;
}

/** The settings that say where keys, usage, hooks and redactions are stored. */
export interface AccessSettings {
  data: string;
  "keys-database"?: ConstructorParameters<typeof PostgresDatabase>[0] | undefined;
}

export interface AccessPath {
  kind: "keys" | "usage" | "hooks";
  path: string;
}

/** The files of keys, usage and hooks, which may not exist; none if they are in PostgreSQL. */
export function accessFiles({ data, "keys-database": location }: AccessSettings): AccessPath[] {
  if (location) return [];
  return [
    { kind: "keys", path: join(data, KEYS_FILE.name) },
    { kind: "usage", path: join(data, USAGE_FILE.name) },
    { kind: "hooks", path: join(data, HOOKS_FILE.name) },
  ];
}

/** How many keys a file has, also those that are not valid any more, how many days of usage, or how many hooks. */
export interface AccessCounts {
  keys?: number;
  days?: number;
  hooks?: number;
}

const ACCESS_COUNTS = {
  keys: { file: KEYS_FILE, sql: "SELECT count(*) AS keys FROM {keys}" },
  usage: { file: USAGE_FILE, sql: "SELECT count(DISTINCT day) AS days FROM {days}" },
  hooks: { file: HOOKS_FILE, sql: "SELECT count(*) AS hooks FROM {hooks}" },
};

/** Reads a file that nobody else uses. Throws StoreError if it is damaged, or has a format that cannot be used. */
export async function accessCounts({ kind, path }: AccessPath): Promise<AccessCounts> {
  const { file, sql } = ACCESS_COUNTS[kind];
  const database = new SqliteDatabase(path, file, true);
  try {
    return (await database.rows<AccessCounts>(sql))[0]!;
  } catch (error) {
    throw error instanceof AccessError ? new StoreError(error.message, { cause: error }) : error;
  } finally {
    await database.close();
  }
}

/** Nothing is created or connected to before it is needed; with `isReadOnly`, no file is ever created or changed. */
export function openAccess(
  { data, "keys-database": location }: AccessSettings,
  isReadOnly = false,
): AccessStore {
  const inFile = (file: typeof KEYS_FILE) =>
    new SqliteDatabase(join(data, file.name), file, isReadOnly);
  const database = location && new PostgresDatabase(location);
  const keys = database ?? inFile(KEYS_FILE);
  const usage = database ?? inFile(USAGE_FILE);
  const hooks = location ? new PostgresDatabase(location, HOOK_TABLES) : inFile(HOOKS_FILE);
  const redactions = database ?? inFile(REDACTIONS_FILE);
  return {
    keys: new KeyStore(keys),
    usage: new UsageStore(usage),
    hooks: new HookStore(hooks),
    redactions: new RedactionList(redactions),
    async close() {
      for (const one of new Set([keys, usage, hooks, redactions])) await one.close();
    },
  };
}

/** The list of redactions. Throws StoreError if it cannot be read. */
export async function readRedactionList(settings: AccessSettings): Promise<ListEntry[]> {
  try {
    return await withRedactionList(settings, (list) => list.entries(), true);
  } catch (error) {
    if (!(error instanceof AccessError)) throw error;
    throw new StoreError(error.message, { cause: error.cause });
  }
}

/** Opens the list of redactions for a moment, so that no connection is kept. Throws AccessError. */
export async function withRedactionList<T>(
  settings: AccessSettings,
  work: (list: RedactionList) => Promise<T>,
  isReadOnly = false,
): Promise<T> {
  const { redactions, close } = openAccess(settings, isReadOnly);
  try {
    return await work(redactions);
  } finally {
    await close();
  }
}

export interface Limits {
  limiter: Limiter;
  quotas: Quotas;
  visitors: VisitorCounters;
  /** The current state; undefined if limits are not shared. */
  shared: SharedLimitsState | undefined;
  close(): void;
}

/** `local` decides without Redis, and whenever Redis is unavailable. */
export async function openLimits(
  { redis }: { redis: string },
  local: Pick<Limits, "limiter" | "quotas" | "visitors">,
  observe: Observe,
  responseMs?: number,
): Promise<Limits> {
  if (redis === "") return { ...local, shared: undefined, close() {} };
  const link = new RedisLink(redis, observe, responseMs);
  await link.open();
  return {
    limiter: new RedisLimiter(link, local.limiter),
    quotas: new RedisQuotas(link, local.quotas),
    visitors: {
      limiter: new RedisLimiter(link, local.visitors.limiter),
      quotas: new RedisQuotas(link, local.visitors.quotas),
    },
    shared: link,
    close: () => link.close(),
  };
}

/** What hooks need, in servers and in commands. */
export const hookContext = <S>(settings: Settings, access: AccessStore, shards: S) => ({
  store: access.hooks,
  keyStore: access.keys,
  shards,
  plan: accessPlan(settings),
  allowPrivate: settings.hooks === "private",
  send,
});

/** The tiers and limits of keys from the settings. */
export function accessPlan(settings: Settings): AccessPlan {
  return {
    tiers: settings.tiers,
    defaults: {
      rate: settings.rate,
      matchesPerDay: settings["matches-per-day"],
    },
    closedShards: settings["closed-shards"],
  };
}
