/** Opens the stores of shards, keys, usage, hooks and limits as the settings say. The only importer of adapters. */

import { readdirSync } from "node:fs";
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
import { HOOKS_FILE, KEYS_FILE, USAGE_FILE } from "./access/sqlite/schema.ts";
import { UsageStore } from "./access/usage-store.ts";
import type { VisitorCounters } from "./access/visitors.ts";
import { checkOwner } from "./document/record-owner.ts";
import type { Awaitable } from "./domain/awaitable.ts";
import { isShardId } from "./domain/identifiers.ts";
import type { AccessPlan } from "./domain/limits.ts";
import { HookStore } from "./hooks/hook-store.ts";
import type { Event, Observe } from "./observe/events.ts";
import type { SharedLimitsState } from "./observe/metrics.ts";
import { checkApplied } from "./redact/list-file.ts";
import type { PostgresLocation } from "./settings/database-urls.ts";
import type { Settings } from "./settings/definitions.ts";
import {
  type ShardLocation,
  type ShardReplicas,
  type SqliteLocation,
  showLocation,
} from "./settings/shard-locations.ts";
import type { Examined } from "./store/examined.ts";
import { PostgresChecker } from "./store/postgres/check.ts";
import { DatabaseDamage } from "./store/postgres/damage.ts";
import { allowedConnections, examineDatabase } from "./store/postgres/examine.ts";
import { readableFormat } from "./store/postgres/open.ts";
import { sessionForReading } from "./store/postgres/read-session.ts";
import { PostgresReader } from "./store/postgres/reader.ts";
import { damageIn as damageInSchema, RepairSchema } from "./store/postgres/repair-schema.ts";
import type { ReplicaChange } from "./store/postgres/replica-health.ts";
import { ReplicatedReaders } from "./store/postgres/replicas.ts";
import { OTHER_CONNECTIONS, sharedSession } from "./store/postgres/session.ts";
import { PostgresWriter } from "./store/postgres/writer.ts";
import type { ShardRepair } from "./store/salvage.ts";
import type { Shards } from "./store/shards.ts";
import { SqliteChecker } from "./store/sqlite/check.ts";
import { examineFile, sqliteVersion } from "./store/sqlite/examine.ts";
import { someRecords } from "./store/sqlite/matches.ts";
import {
  mapFile,
  NotAShard,
  openForReading,
  openForWriting,
  openReadOnly,
} from "./store/sqlite/open.ts";
import { fileStats, OpenedFile } from "./store/sqlite/opened-file.ts";
import { SqliteReader } from "./store/sqlite/reader.ts";
import { readRedactions } from "./store/sqlite/redactions.ts";
import { damageIn as damageInFile, RepairFile } from "./store/sqlite/repair-file.ts";
import { FORMAT as SQLITE_FORMAT } from "./store/sqlite/schema.ts";
import { MAX_WAL_BYTES } from "./store/sqlite/wal.ts";
import { WatchedReader } from "./store/sqlite/watched-reader.ts";
import { SqliteWriter } from "./store/sqlite/writer.ts";
import {
  type Fragment,
  type OnMigrate,
  type OnProgress,
  type Reader,
  type Redaction,
  StoreError,
  StoreReplaced,
  StoreUnavailable,
  type Writer,
} from "./store/store.ts";

const STORE_SUFFIX = ".db";

/** Only servers need a cache, and map files. */
type ShardSettings = Pick<Settings, "data" | "shards"> &
  Partial<Pick<Settings, "cache-mib" | "map-files">>;

const MIB = 1024 * 1024;

/** An open database, shared by all readers. */
type OpenDatabase = PostgresReader | ReplicatedReaders;
type OpenStore = SqliteReader | OpenDatabase;

/**
 * What may be changed by opening a shard. "read": nothing. "write": missing shards are created, and older formats in
 * SQLite rejected. "migrate": they are migrated. Only `matchbook migrate` migrates PostgreSQL, which other instances use.
 */
type ShardAccess = "read" | "write" | "migrate";

/**
 * The shards of a deployment: those in the settings, else every store in the data folder. `writerCacheKib` limits
 * the memory of each writer, for a long-lived process that writes to many shards.
 */
export function openShards(
  settings: ShardSettings,
  observe: Observe,
  writerCacheKib?: number,
  access: ShardAccess = "migrate",
): Shards {
  const configured = new Map(settings.shards.map((shard) => [shard.id, shard]));
  /** Shards in files that exist, or existed when they were opened. */
  const files = new Map<string, WatchedReader>();
  const opened = new Map<string, OpenDatabase>();
  /** Shards that are being opened: concurrent requests share one attempt. */
  const opening = new Map<string, Promise<OpenDatabase | undefined>>();
  /** What the check has found in databases. */
  const damaged = new Map<string, DatabaseDamage>();
  const writers = new Map<string, Writer>();
  /** Writers of files that were replaced. A transaction may still use them. */
  const retired: Writer[] = [];
  /** Why files could not be created. */
  const uncreated = new Map<string, StoreError>();
  /** Files that were reported as ignored. */
  const ignored = new Set<string>();
  const cacheBytes = (settings["cache-mib"] ?? 0) * MIB;
  const isMapped = settings["map-files"] === "on";
  /** Which replicas were last reported as in use, so that repeated attempts do not report again. */
  const reported = new Map<string, boolean>();
  const report = (id: string, change: ReplicaChange) => {
    const replica = `${id} ${change.replica}`;
    const isUsed = change.reason === undefined;
    if (reported.get(replica) === isUsed) return;
    reported.set(replica, isUsed);
    observe(replicaEvent(id, change));
  };
  const migrating = (shard: string): OnMigrate | undefined =>
    access === "migrate"
      ? (from, to) => void observe({ event: "shard-migrating", shard, from, to })
      : undefined;
  /**
   * Throws StoreError if a store must not be used as this shard. Without a data folder there is no list of redactions,
   * as for the files of a backup.
   */
  const checkContents = (id: string, { records, redactions }: StoreContents) => {
    checkOwner(id, showLocation(locationOf(settings, id)), records());
    if (settings.data !== "") checkApplied(settings.data, id, redactions);
  };
  const checkFile = (id: string, database: OpenFile) =>
    closingOnError(database, () => checkContents(id, contentsOf(database)));
  const mayExist = (id: string) => (configured.size > 0 ? configured.has(id) : isShardId(id));
  const reportOpened = (id: string, location: ShardLocation) =>
    observe({ event: "shard-opened", shard: id, location: showLocation(location) });
  const openFile = (id: string, location: SqliteLocation): SqliteReader | undefined => {
    const { path } = location;
    const file = new WatchedReader(
      path,
      () => {
        const database = openSqlite(path, isMapped, migrating(id));
        if (!database) return undefined;
        checkFile(id, database);
        return new SqliteReader(database, cacheBytes);
      },
      () => reportOpened(id, location),
      (records) => checkOwner(id, path, records),
    );
    try {
      return file.get();
    } finally {
      if (file.isKnown) files.set(id, file);
    }
  };
  const openDatabase = async (
    id: string,
    location: PostgresLocation,
  ): Promise<OpenDatabase | undefined> => {
    const writer = shards.writer(id) as PostgresWriter;
    const found = await openPostgres(location, configured.get(id)?.replicas, {
      cacheBytes,
      writer,
      onChange: (change) => report(id, change),
    });
    if (!found) return undefined;
    opened.set(id, found);
    reportOpened(id, location);
    // Without the primary this is unknown.
    const hasChecksums = await writer.hasDataChecksums().catch(() => true);
    if (!hasChecksums) observe({ event: "data-checksums-off", shard: id });
    return found;
  };
  const open = (id: string): Awaitable<OpenStore | undefined> => {
    const file = files.get(id);
    if (file) return file.get();
    const known = opened.get(id) ?? opening.get(id);
    if (known || !mayExist(id)) return known;
    const location = locationOf(settings, id);
    if (location.engine === "sqlite") return openFile(id, location);
    const found = openDatabase(id, location).finally(() => opening.delete(id));
    opening.set(id, found);
    return found;
  };
  /** Undefined for a file, which has its own. */
  const databaseDamage = (id: string): DatabaseDamage | undefined => {
    const known = damaged.get(id);
    if (known) return known;
    const location = locationOf(settings, id);
    if (location.engine === "sqlite" || settings.data === "") return undefined;
    const record = new DatabaseDamage(damagePath(settings, id), location.shown, () =>
      (shards.writer(id) as PostgresWriter).tableNumber(),
    );
    damaged.set(id, record);
    return record;
  };
  /** Throws DamagedShard if the check has found damage. */
  const openUndamaged = async (id: string): Promise<OpenStore | undefined> => {
    const store = await open(id);
    if (opened.has(id)) await databaseDamage(id)?.verify();
    return store;
  };
  /** Whether a file in the data folder that cannot be opened is no shard, rather than a damaged one. */
  const isIgnored = (id: string, error: unknown): boolean => {
    if (configured.size > 0 || !(error instanceof NotAShard) || files.get(id)?.wasOpened)
      return false;
    if (!ignored.has(id)) observe({ event: "file-ignored", error });
    ignored.add(id);
    return true;
  };
  const isShard = (id: string): boolean => {
    try {
      return open(id) !== undefined;
    } catch (error) {
      return !isIgnored(id, error);
    }
  };
  const shardsInFolder = (): string[] => {
    const lost = [...files.keys()].filter((id) => files.get(id)?.wasOpened);
    return [...new Set([...storesIn(settings.data), ...lost])].filter(isShard).sort();
  };

  /** One connection: a second one would keep the first from removing the WAL that SQLite created for it. */
  const openUnwritten = async (id: string): Promise<Writer | undefined> => {
    const location = locationOf(settings, id);
    if (location.engine === "postgres") return (await open(id)) && shards.writer(id);
    try {
      const database = openReadOnly(location.path);
      if (!database) return undefined;
      checkFile(id, database);
      return new SqliteWriter(database);
    } catch (error) {
      if (isIgnored(id, error)) return undefined;
      throw error;
    }
  };

  const shards: Shards = {
    allowed: configured.size > 0 ? new Set(configured.keys()) : undefined,
    list() {
      if (configured.size > 0) return [...configured.keys()].sort();
      return access === "read" ? storesIn(settings.data) : shardsInFolder();
    },
    async reader(id) {
      try {
        const store = await openUndamaged(id);
        if (!store && uncreated.has(id)) throw uncreated.get(id);
        return readerOf(store);
      } catch (error) {
        if (isIgnored(id, error)) return undefined;
        throw error;
      }
    },
    replicas(id) {
      const store = opened.get(id);
      if (store instanceof ReplicatedReaders) return store.inUse;
      return configured.get(id)?.replicas?.places.map(() => false) ?? [];
    },
    writer(id, mustExist = false) {
      const location = locationOf(settings, id);
      const known = writers.get(id);
      if (known && !isReplaced(known)) return known;
      if (known) retired.push(known);
      if (mustExist && isMissing(location)) throw missing(location);
      const writer = openWriter(location, access, migrating(id), writerCacheKib, (contents) =>
        checkContents(id, contents),
      );
      writers.set(id, writer);
      return writer;
    },
    async create(id) {
      const location = locationOf(settings, id);
      if (location.engine !== "sqlite") return "none";
      try {
        const wasMissing = isMissing(location);
        await openWriter(location, access, migrating(id)).close();
        return wasMissing ? "created" : "existing";
      } catch (error) {
        if (!(error instanceof StoreError)) throw error;
        uncreated.set(id, error);
        return "failed";
      }
    },
    async checker(id, purpose = "background") {
      const location = locationOf(settings, id);
      if (location.engine === "postgres") {
        return PostgresChecker.open(location, purpose);
      }
      const { path } = location;
      const file = fileStats(path);
      try {
        const database = access === "read" ? openReadOnly(path) : openForReading(path);
        if (database) closingOnError(database, () => checkOwner(id, path, someRecords(database)));
        const pass = purpose === "background" ? "exact" : "fast";
        return database && new SqliteChecker(database, new OpenedFile(path, file), pass);
      } catch (error) {
        if (isIgnored(id, error)) return undefined;
        throw error;
      }
    },
    async setDamage(id, damage) {
      try {
        if (locationOf(settings, id).engine === "postgres") await databaseDamage(id)?.set(damage);
        else {
          if (!files.has(id)) isShard(id);
          files.get(id)?.setDamage(damage);
        }
      } catch (error) {
        observe({ event: "damage-not-recorded", shard: id, error });
      }
    },
    async existingWriter(id) {
      if (access !== "read") return (await openUndamaged(id)) ? shards.writer(id, true) : undefined;
      const writer = writers.get(id) ?? (mayExist(id) ? await openUnwritten(id) : undefined);
      if (writer) writers.set(id, writer);
      return writer;
    },
    async close() {
      // A store that opens later would keep its connections, and the process alive.
      await Promise.allSettled(opening.values());
      const all = [...files.values(), ...opened.values(), ...writers.values(), ...retired];
      for (const store of all) await store.close();
      files.clear();
      opened.clear();
      writers.clear();
      retired.length = 0;
    },
  };
  return shards;
}

const readerOf = (store: OpenStore | undefined): Reader | undefined =>
  store instanceof ReplicatedReaders ? store.forRequest() : store;

/** Throws StoreReplaced if the file was deleted. */
const isReplaced = (writer: Writer): boolean =>
  writer instanceof SqliteWriter && writer.file.isReplaced();

const isMissing = (location: ShardLocation): boolean =>
  location.engine === "sqlite" && fileStats(location.path) === undefined;

const missing = (location: ShardLocation): StoreError =>
  new StoreReplaced(
    `${showLocation(location)} does not exist any more; put it back or restore a backup, or restart the server to continue without it`,
  );

/** Undefined when there is no shard (yet). */
function openSqlite(
  path: string,
  isMapped: boolean,
  onMigrate: OnMigrate | undefined,
): ReturnType<typeof openReadOnly> {
  const database = onMigrate ? openForReading(path, onMigrate) : openReadOnly(path);
  if (isMapped && database) mapFile(database);
  return database;
}

type OpenFile = NonNullable<ReturnType<typeof openReadOnly>>;

/** What decides whether a store may be used as a certain shard. */
interface StoreContents {
  /** A few encoded matches. */
  records(): Fragment[];
  redactions(): Redaction[];
}

const contentsOf = (database: OpenFile): StoreContents => ({
  records: () => someRecords(database),
  redactions: () => readRedactions(database),
});

function closingOnError(store: { close(): void }, work: () => void): void {
  try {
    work();
  } catch (error) {
    store.close();
    throw error;
  }
}

interface PostgresParts {
  cacheBytes: number;
  writer: PostgresWriter;
  onChange(change: ReplicaChange): void;
}

/**
 * The first process creates the tables. An unavailable database is retried each time; until it
 * is back, a replica that has the tables serves.
 */
async function openPostgres(
  location: PostgresLocation,
  replicas: ShardReplicas | undefined,
  { cacheBytes, writer, onChange }: PostgresParts,
): Promise<OpenDatabase | undefined> {
  let format: number | undefined;
  const unavailable = await unavailability(
    writer.ready().then((found) => {
      format = found;
    }),
  );
  if (format === 0) return undefined;
  if (unavailable && !replicas) throw unavailable;
  if (!replicas) return new PostgresReader(sessionForReading(location), cacheBytes);
  const readers = new ReplicatedReaders(location, replicas, cacheBytes, onChange);
  await readers.check();
  if (!unavailable || readers.inUse.includes(true)) return readers;
  await readers.close();
  throw unavailable;
}

/** The error if a database is not ready because it is unavailable. */
async function unavailability(ready: Promise<void>): Promise<StoreUnavailable | undefined> {
  try {
    await ready;
    return undefined;
  } catch (error) {
    if (error instanceof StoreUnavailable) return error;
    throw error;
  }
}

function replicaEvent(shard: string, change: ReplicaChange): Event {
  const { replica, reason } = change;
  return reason === undefined
    ? { event: "replica-included", shard, replica }
    : { event: "replica-excluded", shard, replica, why: reason };
}

/** Where damage of a shard in PostgreSQL is recorded. */
const damagePath = ({ data }: Pick<Settings, "data">, id: string): string =>
  join(data, `${id}.damaged`);

/** The location of a shard: from the settings, else its file in the data folder. */
export function locationOf(
  { data, shards }: Pick<Settings, "data" | "shards">,
  id: string,
): ShardLocation {
  const listed = shards.find((one) => one.id === id)?.location;
  return listed ?? { engine: "sqlite", path: join(data, `${id}${STORE_SUFFIX}`) };
}

/**
 * The writer of a shard at any location. Creates the store if necessary, unless it is for reading only.
 * `check` throws if it must not be used as it is.
 */
export function openWriter(
  location: ShardLocation,
  access: ShardAccess,
  onMigrate?: OnMigrate,
  cacheKib?: number,
  check: (contents: StoreContents) => void = () => {},
): Writer {
  if (location.engine === "postgres") {
    const session = sharedSession(location);
    const checkRedactions = (applied: Redaction[]) =>
      check({ records: () => [], redactions: () => applied });
    return new PostgresWriter(session, undefined, undefined, access === "read", checkRedactions);
  }
  const file = fileStats(location.path);
  const database = openForWriting(location.path, cacheKib, undefined, onMigrate);
  closingOnError(database, () => check(contentsOf(database)));
  return new SqliteWriter(database, new OpenedFile(location.path, file));
}

/** What is wrong with a shard; undefined if nothing is. Throws StoreError if it is no shard. */
export function damageAt(
  shard: string,
  location: ShardLocation,
  onProgress: OnProgress,
): Awaitable<string | undefined> {
  if (location.engine === "postgres") return damageInSchema(location, onProgress);
  const { path } = location;
  return damageInFile(path, onProgress, (records) => checkOwner(shard, path, records));
}

/** Keeps writers of a shard waiting until it is repaired. Throws StoreError. */
export const openRepair = (location: ShardLocation): Awaitable<ShardRepair> =>
  location.engine === "sqlite" ? new RepairFile(location.path) : RepairSchema.open(location);

/** Migrates a shard. Returns its formats before and after; undefined if there is no shard yet. */
export async function migrateShard(
  location: ShardLocation,
  onMigrate: OnMigrate,
): Promise<{ from: number; to: number } | undefined> {
  let from: number | undefined;
  const note: OnMigrate = (found, to) => {
    from = found;
    return onMigrate(found, to);
  };
  if (location.engine === "sqlite") {
    const database = openForReading(location.path, note);
    database?.close();
    return database && { from: from ?? SQLITE_FORMAT, to: SQLITE_FORMAT };
  }
  const session = sharedSession(location);
  try {
    if ((await readableFormat(session, true)) === undefined) return undefined;
    const to = await new PostgresWriter(session).ready(note);
    return { from: from ?? to, to };
  } finally {
    await session.close();
  }
}

/** For `matchbook doctor`: changes nothing. Throws StoreError. */
export async function examineShard(
  settings: Pick<Settings, "data" | "shards">,
  id: string,
): Promise<Examined> {
  const location = locationOf(settings, id);
  if (location.engine === "sqlite") {
    const { path } = location;
    return examineFile(path, (records) => checkOwner(id, path, records));
  }
  const replicas = settings.shards.find((shard) => shard.id === id)?.replicas;
  return examineDatabase(location, replicas?.places ?? [], damagePath(settings, id));
}

export { allowedConnections, MAX_WAL_BYTES, OTHER_CONNECTIONS, redisVersion, sqliteVersion };

/** The ids of the shards in a data folder. */
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

export interface AccessStore {
  keys: KeyStore;
  usage: UsageStore;
  hooks: HookStore;
  close(): Promise<void>;
}

/** The settings that say where keys, usage and hooks are stored. */
interface AccessSettings {
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

/** Reads a file that nobody else uses. Null if it has a newer format. Throws StoreError if it is damaged. */
export async function accessCounts(
  { kind, path }: AccessPath,
  format: number,
): Promise<AccessCounts | null> {
  const { file, sql } = ACCESS_COUNTS[kind];
  if (format > file.migrations.length) return null;
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
  if (location) {
    const database = new PostgresDatabase(location);
    const hooks = new PostgresDatabase(location, HOOK_TABLES);
    return {
      keys: new KeyStore(database),
      usage: new UsageStore(database),
      hooks: new HookStore(hooks),
      async close() {
        await database.close();
        await hooks.close();
      },
    };
  }
  const keys = new SqliteDatabase(join(data, KEYS_FILE.name), KEYS_FILE, isReadOnly);
  const usage = new SqliteDatabase(join(data, USAGE_FILE.name), USAGE_FILE, isReadOnly);
  const hooks = new SqliteDatabase(join(data, HOOKS_FILE.name), HOOKS_FILE, isReadOnly);
  return {
    keys: new KeyStore(keys),
    usage: new UsageStore(usage),
    hooks: new HookStore(hooks),
    async close() {
      await keys.close();
      await usage.close();
      await hooks.close();
    },
  };
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

/** The tiers and limits of keys from the settings. */
export function accessPlan(settings: Settings): AccessPlan {
  return {
    tiers: settings.tiers,
    defaults: {
      rate: settings.rate,
      burst: settings.burst,
      matchesPerDay: settings["matches-per-day"],
    },
    closedShards: settings["closed-shards"],
  };
}
