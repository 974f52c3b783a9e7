/** Copies shards, keys and usage into a folder, while servers and ingest continue. */

import { existsSync } from "node:fs";
import { basename } from "node:path";
import { closing } from "../domain/awaitable.ts";
import { formatTimestamp } from "../domain/time.ts";
import { type Observe, unobserved } from "../observe/events.ts";
import {
  ACCESS_KINDS,
  type AccessPath,
  accessCounts,
  accessFiles,
  readRedactionList,
} from "../open-access.ts";
import { locationOf, openShards } from "../open-stores.ts";
import { listedIn } from "../redact/list.ts";
import type { PostgresLocation } from "../settings/database-urls.ts";
import type { Settings } from "../settings/definitions.ts";
import { copySqlite, formatIn, switchToWal } from "../sqlite/copy.ts";
import { StoreError } from "../store/store.ts";
import { describeError } from "../text/system-errors.ts";
import { verifyRows } from "../verify/verify.ts";
import { BackupFolder } from "./backup-folder.ts";
import { BackupError, type BackupFile, type Manifest, newManifest } from "./manifest.ts";

export interface BackupOptions {
  /** The shards to copy. */
  shards: readonly string[];
  /** The version of Matchbook. */
  version: string;
  now: number;
  observe: Observe;
  /** While a copy is verified. A total of 0 means unknown. */
  onProgress(rows: number, total: 0, label: string): void;
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
    await addAccess(settings, folder, manifest);
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
  { shards }: BackupOptions,
): Promise<void> {
  try {
    const list = listedIn(await readRedactionList(settings));
    redactions.push(...list.filter(({ shard }) => shards.includes(shard)));
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    missing.push({ kind: "redactions", reason: describeError(error), isFailure: true });
  }
}

async function addShard(
  settings: Settings,
  shard: string,
  folder: BackupFolder,
  { files, missing }: Manifest,
  options: BackupOptions,
): Promise<void> {
  const location = locationOf(settings, shard);
  const part = { kind: "shard", shard } as const;
  if (location.engine === "postgres") {
    const reason = `${coveredByDatabase(location)}, or 'matchbook export ${shard}'`;
    missing.push({ ...part, reason, isFailure: false });
    return;
  }
  try {
    const isThere = await hasShard(settings, shard, options.observe);
    const file =
      isThere &&
      (await copyFile(`${shard}.db`, location.path, folder, async (path) => {
        const counts = await verifiedCounts(shard, path, options);
        return counts && { ...part, counts };
      }));
    if (file) files.push(file);
    else missing.push({ ...part, reason: "it has no records yet", isFailure: false });
  } catch (error) {
    if (!isOfSource(error)) throw error;
    missing.push({ ...part, reason: describeError(error), isFailure: true });
  }
}

/** Whether there is a shard in the file of the settings. */
async function hasShard(settings: Settings, shard: string, observe: Observe): Promise<boolean> {
  await using shards = closing(
    openShards({ ...settings, withUnredacted: true }, observe, undefined, "read"),
  );
  return (await shards.existingWriter(shard)) !== undefined;
}

/** Undefined if there are no tables in the file. Throws StoreError if anything in it is damaged. */
async function verifiedCounts(id: string, path: string, { onProgress }: BackupOptions) {
  const listed = [{ id, location: { engine: "sqlite", path } as const }];
  await using shards = closing(
    openShards({ data: "", shards: listed }, unobserved, undefined, "read"),
  );
  const writer = await shards.existingWriter(id);
  if (!writer) return undefined;
  const counts = await writer.counts();
  const damage = await verifyRows(id, writer, (rows) => onProgress(rows, 0, `${id}: verify`));
  if (damage) {
    throw new StoreError(
      `table ${damage.table}, record ${damage.record} is damaged: run 'matchbook verify ${id}'`,
    );
  }
  const { bytes: _, newestMatch: newest, ...rest } = counts;
  return { ...rest, newestMatch: newest === undefined ? null : formatTimestamp(newest) };
}

async function addAccess(
  settings: Settings,
  folder: BackupFolder,
  { files, missing }: Manifest,
): Promise<void> {
  const database = settings["keys-database"];
  if (database) {
    const reason = coveredByDatabase(database);
    for (const kind of ACCESS_KINDS) {
      missing.push({ kind, reason, isFailure: false });
    }
  }
  for (const file of accessFiles(settings)) {
    if (!existsSync(file.path)) continue;
    try {
      const copied = await copyAccess(file, folder);
      if (copied) files.push(copied);
    } catch (error) {
      if (!isOfSource(error)) throw error;
      const reason = `cannot use ${file.path}: ${describeError(error)}`;
      missing.push({ kind: file.kind, reason, isFailure: true });
    }
  }
}

/** Undefined if a process was killed before it created the tables. */
const copyAccess = ({ kind, path }: AccessPath, folder: BackupFolder) =>
  copyFile(basename(path), path, folder, async (draft) =>
    formatIn(draft) === 0 ? undefined : { kind, counts: await accessCounts({ kind, path: draft }) },
  );

/**
 * Copies an SQLite file. `describe` reads the copy, so that no long read keeps the WAL of the original from being emptied;
 * undefined: there is nothing in it.
 */
async function copyFile<T extends object>(
  name: string,
  from: string,
  folder: BackupFolder,
  describe: (path: string) => Promise<T | undefined>,
): Promise<(T & Pick<BackupFile, "name" | "format" | "bytes" | "sha256">) | undefined> {
  const draft = folder.create(name);
  try {
    copySqlite(from, draft);
    const content = await describe(draft);
    if (!content) return undefined;
    switchToWal(draft);
    return { ...content, format: formatIn(draft), ...(await folder.keep(name)) };
  } finally {
    // Nothing is left under this name of what was kept.
    folder.drop(name);
  }
}

const coveredByDatabase = ({ shown, schema }: PostgresLocation): string =>
  `it is in PostgreSQL (${shown}): back it up with pg_dump --schema=${schema}, or with base backups, e.g. by pgBackRest`;

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
