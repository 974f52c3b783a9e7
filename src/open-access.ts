/** Opens the stores of keys, usage, features and limits as the settings say. The only importer of their adapters. */

import { join } from "node:path";
import { AccessError, type Database } from "./access/key-database.ts";
import { KeyStore } from "./access/key-store.ts";
import { PostgresDatabase } from "./access/postgres/database.ts";
import type { Quotas } from "./access/quota.ts";
import type { Limiter } from "./access/rate-limit.ts";
import { RedisLimiter, RedisQuotas } from "./access/redis/limits.ts";
import { RedisLink } from "./access/redis/link.ts";
import { SqliteDatabase } from "./access/sqlite/database.ts";
import { type AccessTables, KEY_TABLES, REDACTION_TABLES, USAGE_TABLES } from "./access/tables.ts";
import { UsageStore } from "./access/usage-store.ts";
import type { VisitorCounters } from "./access/visitors.ts";
import { closing } from "./domain/awaitable.ts";
import type { AccessPlan } from "./domain/limits.ts";
import type { OwnServices } from "./features/feature.ts";
import { FEATURES } from "./features/list.ts";
import type { Observe } from "./observe/events.ts";
import type { SharedLimitsState } from "./observe/metrics.ts";
import { type ListEntry, RedactionList } from "./redact/list.ts";
import type { Settings } from "./settings/definitions.ts";
import { StoreError } from "./store/store.ts";

export interface AccessStore {
  keys: KeyStore;
  usage: UsageStore;
  /** What features store beside the keys, by their names. */
  features: ReadonlyMap<string, Database>;
  redactions: RedactionList;
  close(): Promise<void>;
}

/** The settings that say where all of these are stored. */
export interface AccessSettings {
  data: string;
  "keys-database"?: ConstructorParameters<typeof PostgresDatabase>[0] | undefined;
}

const OWN_TABLES = new Map(
  FEATURES.flatMap(({ name, operated }) => (operated ? [[name, operated.tables]] : [])),
);

/** What is backed up beside the shards. */
const BACKED_UP = [KEY_TABLES, USAGE_TABLES, ...OWN_TABLES.values()];

export const ACCESS_KINDS: readonly string[] = BACKED_UP.map(({ name }) => name);

export interface AccessPath {
  kind: string;
  path: string;
}

/** The files of keys, usage and features, which may not exist; none if they are in PostgreSQL. */
export function accessFiles({ data, "keys-database": location }: AccessSettings): AccessPath[] {
  if (location) return [];
  return BACKED_UP.map(({ name, file }) => ({ kind: name, path: join(data, file) }));
}

/** What a file has, by its name in the plural, e.g. how many keys, also those that are not valid any more. */
export type AccessCounts = Readonly<Record<string, number>>;

/** Reads a file that nobody else uses. Throws StoreError if it is damaged, or has a format that cannot be used. */
export async function accessCounts({ kind, path }: AccessPath): Promise<AccessCounts> {
  const tables = BACKED_UP.find(({ name }) => name === kind)!;
  await using database = closing(new SqliteDatabase(path, tables, true));
  try {
    return (await database.rows<AccessCounts>(tables.count))[0]!;
  } catch (error) {
    throw error instanceof AccessError ? new StoreError(error.message, { cause: error }) : error;
  }
}

/** Nothing is created or connected to before it is needed; with `isReadOnly`, no file is ever created or changed. */
export function openAccess(
  { data, "keys-database": location }: AccessSettings,
  isReadOnly = false,
): AccessStore {
  const inFile = (tables: AccessTables) =>
    new SqliteDatabase(join(data, tables.file), tables, isReadOnly);
  const database = location && new PostgresDatabase(location, undefined, isReadOnly);
  const keys = database ?? inFile(KEY_TABLES);
  const usage = database ?? inFile(USAGE_TABLES);
  const redactions = database ?? inFile(REDACTION_TABLES);
  const features = new Map(
    [...OWN_TABLES].map(([name, tables]) => [
      name,
      location ? new PostgresDatabase(location, tables, isReadOnly) : inFile(tables),
    ]),
  );
  return {
    keys: new KeyStore(keys),
    usage: new UsageStore(usage),
    features,
    redactions: new RedactionList(redactions),
    async close() {
      for (const one of new Set([keys, usage, redactions, ...features.values()])) await one.close();
    },
  };
}

/** What the parts of features beside their endpoints are given, by the names of the features. */
export const ownServices = (
  settings: Settings,
  access: AccessStore,
  shards: OwnServices["shards"],
): ReadonlyMap<string, OwnServices> =>
  new Map(
    [...access.features].map(([name, database]) => [
      name,
      { settings, database, keyStore: access.keys, plan: accessPlan(settings), shards },
    ]),
  );

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
  await using access = closing(openAccess(settings, isReadOnly));
  return await work(access.redactions);
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

/** Why limits cannot be shared through this Redis; undefined if they can. Only a probe is written, which expires. */
export async function redisProblem(url: string): Promise<Error | undefined> {
  let problem: unknown;
  const link = new RedisLink(url, (event) => {
    if (event.event === "shared-limits-unavailable") problem = event.error;
  });
  await link.open();
  link.close();
  return problem as Error | undefined;
}

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
