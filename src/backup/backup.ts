/** Copies shards, keys and usage into a folder, while servers and ingest continue. */

import { existsSync, statSync } from "node:fs";
import { basename } from "node:path";
import type { Observe } from "../observe/events.ts";
import { type AccessPath, accessCounts, accessFiles, readRedactionList } from "../open-access.ts";
import { locationOf, openShards } from "../open-stores.ts";
import { asListed, type ListedRedaction, lacking, listedIn, redactionsOf } from "../redact/list.ts";
import type { PostgresLocation } from "../settings/database-urls.ts";
import type { Settings } from "../settings/definitions.ts";
import type { SqliteLocation } from "../settings/shard-locations.ts";
import { copySqlite, formatIn, switchToWal } from "../sqlite/copy.ts";
import { StoreError } from "../store/store.ts";
import { BackupFolder } from "./backup-folder.ts";
import { exportShard } from "./export-shard.ts";
import { BackupError, type BackupFile, type Manifest, newManifest } from "./manifest.ts";
import { type StartProgress, showingBytes } from "./progress.ts";
import { contentOf } from "./shard-file.ts";

export interface BackupOptions {
  /** The shards to copy. */
  shards: readonly string[];
  /** Whether to copy keys and usage. */
  keys: boolean;
  /** Whether to export shards that are in PostgreSQL. */
  export: boolean;
  /** The version of Matchbook. */
  version: string;
  now: number;
  observe: Observe;
  startProgress: StartProgress;
  /** Describes an error for the operator. */
  describe(error: Error): string;
}

/**
 * A part that cannot be copied is listed as missing in the manifest, and the others are copied. Throws BackupError,
 * and leaves nothing in the folder, if the backup cannot be made at all.
 */
export async function backUp(
  settings: Settings,
  path: string,
  options: BackupOptions,
): Promise<Manifest> {
  const manifest = newManifest(options.version, options.now);
  const folder = new BackupFolder(path);
  try {
    await addRedactions(settings, manifest, options);
    for (const id of options.shards) await addShard(settings, id, folder, manifest, options);
    if (options.keys) await addAccess(settings, folder, manifest, options);
    await folder.finish(manifest);
  } catch (error) {
    folder.discard();
    throw isFull(error) ? fullDisk(path) : error;
  }
  return manifest;
}

/** What shards lack of it is applied when they are restored. */
async function addRedactions(
  settings: Settings,
  { missing, redactions }: Manifest,
  { shards, describe }: BackupOptions,
): Promise<void> {
  try {
    const list = listedIn(await readRedactionList(settings));
    redactions.push(...list.filter(({ shard }) => shards.includes(shard)));
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    missing.push({ kind: "redactions", reason: describe(error), isFailure: true });
  }
}

async function addShard(
  settings: Settings,
  shard: string,
  folder: BackupFolder,
  { files, missing, redactions }: Manifest,
  options: BackupOptions,
): Promise<void> {
  const location = locationOf(settings, shard);
  const part = { kind: "shard", shard } as const;
  if (location.engine === "postgres" && !options.export) {
    const reason = `${coveredByDatabase(location)}, or add --export`;
    missing.push({ ...part, reason, isFailure: false });
    return;
  }
  try {
    const file =
      location.engine === "postgres"
        ? await copyRecords(settings, shard, folder, redactions, options)
        : await copyShard(settings, shard, location, folder, options);
    if (file) files.push(file);
    else missing.push({ ...part, reason: "it has no records yet", isFailure: false });
  } catch (error) {
    if (!isOfSource(error)) throw error;
    missing.push({ ...part, reason: options.describe(error), isFailure: true });
  }
}

/** Undefined if there is no shard yet. */
async function copyShard(
  settings: Settings,
  shard: string,
  { path }: SqliteLocation,
  folder: BackupFolder,
  { observe, startProgress }: BackupOptions,
): Promise<BackupFile | undefined> {
  if (!(await isThere(settings, shard, observe))) return undefined;
  const name = `${shard}.db`;
  const draft = folder.create(name);
  try {
    await copy(shard, path, draft, startProgress);
    // Of the copy, so that no long read keeps the WAL of the original from being emptied.
    const content = await contentOf(shard, draft, startProgress);
    if (content) {
      switchToWal(draft);
      return { kind: "shard", shard, engine: "sqlite", ...(await folder.keep(name)), ...content };
    }
    folder.drop(name);
    return undefined;
  } catch (error) {
    folder.drop(name);
    throw error;
  }
}

/** The same for a shard in PostgreSQL, whose redactions may come from other instances. */
async function copyRecords(
  settings: Settings,
  shard: string,
  folder: BackupFolder,
  redactions: ListedRedaction[],
  { observe, startProgress }: BackupOptions,
): Promise<BackupFile | undefined> {
  const name = `${shard}.ndjson.gz`;
  const shards = openShards({ ...settings, withUnredacted: true }, observe, undefined, "read");
  try {
    const writer = await shards.existingWriter(shard);
    if (!writer) return undefined;
    const content = await exportShard(writer, shard, folder.create(name), startProgress);
    const applied = await writer.redactions();
    redactions.push(...asListed(shard, lacking(applied, redactionsOf(redactions, shard))));
    return { kind: "shard", shard, engine: "postgres", ...(await folder.keep(name)), ...content };
  } catch (error) {
    folder.drop(name);
    throw error;
  } finally {
    await shards.close();
  }
}

/** Whether there is a shard in the file. */
async function isThere(settings: Settings, shard: string, observe: Observe): Promise<boolean> {
  const shards = openShards({ ...settings, withUnredacted: true }, observe, undefined, "read");
  try {
    return (await shards.existingWriter(shard)) !== undefined;
  } finally {
    await shards.close();
  }
}

async function addAccess(
  settings: Settings,
  folder: BackupFolder,
  { files, missing }: Manifest,
  options: BackupOptions,
): Promise<void> {
  const database = settings["keys-database"];
  if (database) {
    const reason = coveredByDatabase(database);
    missing.push({ kind: "keys", reason, isFailure: false });
    missing.push({ kind: "usage", reason, isFailure: false });
    missing.push({ kind: "hooks", reason, isFailure: false });
  }
  for (const file of accessFiles(settings)) {
    if (!existsSync(file.path)) continue;
    try {
      const copied = await copyAccess(file, folder, options);
      if (copied) files.push(copied);
    } catch (error) {
      if (!isOfSource(error)) throw error;
      const reason = `cannot use ${file.path}: ${options.describe(error)}`;
      missing.push({ kind: file.kind, reason, isFailure: true });
    }
  }
}

/** Undefined if a process was killed before it created the tables. */
async function copyAccess(
  { kind, path }: AccessPath,
  folder: BackupFolder,
  { startProgress }: BackupOptions,
): Promise<BackupFile | undefined> {
  const name = basename(path);
  const draft = folder.create(name);
  try {
    await copy(kind, path, draft, startProgress);
    const format = formatIn(draft);
    if (format > 0) {
      const counts = await accessCounts({ kind, path: draft });
      switchToWal(draft);
      return { kind, engine: "sqlite", format, counts, ...(await folder.keep(name)) };
    }
    folder.drop(name);
    return undefined;
  } catch (error) {
    folder.drop(name);
    throw error;
  }
}

async function copy(
  label: string,
  from: string,
  to: string,
  startProgress: StartProgress,
): Promise<void> {
  const progress = startProgress(`${label}: copy`, statSync(from).size, "MiB");
  try {
    await copySqlite(from, to, showingBytes(progress));
  } finally {
    progress.stop();
  }
}

const coveredByDatabase = ({ shown, schema }: PostgresLocation): string =>
  `it is in PostgreSQL (${shown}): back it up with pg_dump --schema=${schema}, or with base backups of the database`;

const codeOf = (error: unknown): string => {
  const { code, cause } = error as { code?: unknown; cause?: unknown };
  if (typeof code === "string") return code;
  return cause instanceof Error ? codeOf(cause) : "";
};

/** SQLite cannot create the index of the WAL. */
const isFull = (error: unknown): boolean =>
  /^(ENOSPC|EDQUOT|SQLITE_FULL|SQLITE_IOERR_SHMSIZE)/.test(codeOf(error));

/** Whether only this part cannot be copied. */
const isOfSource = (error: unknown): error is Error =>
  !isFull(error) &&
  !(error instanceof BackupError) &&
  (error instanceof StoreError || codeOf(error).startsWith("SQLITE_"));

const fullDisk = (folder: string): BackupError =>
  new BackupError(
    `the disk of ${folder} is full, and no backup was made: free some space, or choose a folder on another disk`,
  );
