/** Puts the files of a backup where the settings say. What is there already is left alone. */

import { existsSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { makeFolder, syncFile } from "../durable-files.ts";
import { accessCounts, accessFiles, readRedactionList, withRedactionList } from "../open-access.ts";
import { locationOf, openWriter } from "../open-stores.ts";
import { type ListedRedaction, lacking, listedIn, redactionsOf } from "../redact/list.ts";
import { redactPlayers } from "../redact/redact.ts";
import type { Settings } from "../settings/definitions.ts";
import {
  type ShardLocation,
  type SqliteLocation,
  showLocation,
} from "../settings/shard-locations.ts";
import { formatIn } from "../sqlite/copy.ts";
import { type Redaction, StoreError } from "../store/store.ts";
import { copyFile, publish, sha256Of } from "./files.ts";
import { BackupError, type BackupFile, type ShardFile } from "./manifest.ts";
import { type StartProgress, showingBytes } from "./progress.ts";
import { contentOf } from "./shard-file.ts";
import { hasRecords, type TakeInOptions, takeIn } from "./take-in.ts";

/** A file of a backup, and where it goes. */
export interface RestoreStep {
  file: BackupFile;
  from: string;
  to: ShardLocation;
}

export interface RestoreOptions extends TakeInOptions {
  /** Of the backup. Those on the list are applied too. */
  redactions: readonly ListedRedaction[];
}

/** What became of a step. */
export interface RestoreOutcome {
  step: RestoreStep;
  /** What was there already, so that the file was not restored. */
  found: string[];
}

/**
 * Yields the outcome of each step when it is done. Throws BackupError; the steps before are done then. A file gets its
 * name after it was verified, so that a running server never sees an incomplete one. Only in PostgreSQL an export grows
 * in its place, where servers see it.
 */
export async function* restore(
  steps: readonly RestoreStep[],
  options: RestoreOptions,
): AsyncGenerator<RestoreOutcome> {
  const list = [...listedIn(await readRedactionList(options.settings)), ...options.redactions];
  const wanted: RestoreStep[] = [];
  for (const step of steps) {
    const found = await whatIsThere(step);
    if (found.length === 0) wanted.push(step);
    else yield { step, found };
  }
  await checkFiles(wanted, options.startProgress);
  for (const step of wanted) yield await restoreStep(step, list, options);
}

async function restoreStep(
  step: RestoreStep,
  list: readonly ListedRedaction[],
  options: RestoreOptions,
): Promise<RestoreOutcome> {
  const { file, from, to } = step;
  const shard = file.kind === "shard" ? file.shard : undefined;
  const redactions = shard === undefined ? [] : redactionsOf(list, shard);
  // First: a shard that lacks one is not served.
  if (shard !== undefined) {
    await withRedactionList(options.settings, (added) => added.add(shard, redactions));
  }
  try {
    if (isExport(file)) {
      await restoreExport(file, from, to, redactions, options);
    } else await restoreFile(file, from, pathIn(to), redactions, options.startProgress);
    return { step, found: [] };
  } catch (error) {
    if (!(error instanceof CreatedMeanwhile)) throw error;
    return { step, found: [error.path] };
  }
}

const isExport = (file: BackupFile): file is ShardFile & { format: "ndjson" } =>
  file.format === "ndjson";

/** Only an export can go anywhere else: see placeOf. */
const pathIn = (location: ShardLocation): string => (location as SqliteLocation).path;

/**
 * Where each file goes. Throws BackupError if the settings have no place for it. Shards come last, because they take
 * longest: a running server creates a missing usage.sqlite as soon as there is a data folder.
 */
export function stepsFor(
  settings: Settings,
  folder: string,
  files: readonly BackupFile[],
): RestoreStep[] {
  const isShard = ({ kind }: BackupFile) => Number(kind === "shard");
  return files
    .toSorted((one, other) => isShard(one) - isShard(other))
    .map((file) => ({ file, from: join(folder, file.name), to: placeOf(settings, file) }));
}

function placeOf(settings: Settings, file: BackupFile): ShardLocation {
  if (file.kind !== "shard") {
    const place = accessFiles(settings).find(({ kind }) => kind === file.kind);
    if (place) return { engine: "sqlite", path: place.path };
    throw new BackupError(
      `keys-database is set, so ${file.name} would not be used: add --no-keys, or leave out that setting`,
    );
  }
  const { shards } = settings;
  if (shards.length > 0 && !shards.some(({ id }) => id === file.shard)) {
    throw new BackupError(
      `the settings have no shard ${file.shard}, so it would not be served: add [shards.${file.shard}], or name the shards to restore`,
    );
  }
  const location = locationOf(settings, file.shard);
  if (location.engine === "sqlite" || isExport(file)) return location;
  throw new BackupError(
    `the settings place ${file.shard} in PostgreSQL (${showLocation(location)}), and the backup has an SQLite file: restore it without that setting, then run 'matchbook shards move'`,
  );
}

/** What SQLite and the check of the server put beside a file. An old WAL would damage a new file. */
const COMPANIONS = ["", "-wal", "-shm", "-journal", ".damaged"];

async function whatIsThere({ file, to }: RestoreStep): Promise<string[]> {
  if (to.engine === "sqlite") {
    return COMPANIONS.map((suffix) => `${to.path}${suffix}`).filter((path) => existsSync(path));
  }
  return isExport(file) && (await hasRecords(file.shard, to)) ? [showLocation(to)] : [];
}

export const dropping = ({ schema }: { schema: string }): string => `DROP SCHEMA ${schema} CASCADE`;

/** Before anything is written. */
async function checkFiles(
  steps: readonly RestoreStep[],
  startProgress: StartProgress,
): Promise<void> {
  const damaged: string[] = [];
  for (const { file, from } of steps) {
    const progress = startProgress(`${file.name}: check`, file.bytes, "MiB");
    try {
      if (!(await isIntact(from, file, showingBytes(progress)))) damaged.push(from);
    } finally {
      progress.stop();
    }
  }
  if (damaged.length === 0) return;
  throw new BackupError(
    `${damaged.join(", ")}: missing, or not the file that was backed up (its SHA-256 differs); nothing was restored. Use another backup, or name the shards to restore`,
  );
}

async function isIntact(
  path: string,
  { bytes, sha256 }: BackupFile,
  onRead?: (bytes: number) => void,
): Promise<boolean> {
  if (statSync(path, { throwIfNoEntry: false })?.size !== bytes) return false;
  return (await sha256Of(path, onRead)) === sha256;
}

const restoreFile = (
  file: BackupFile,
  from: string,
  to: string,
  redactions: readonly Redaction[],
  startProgress: StartProgress,
): Promise<void> =>
  asDraft(to, async (draft) => {
    await copyFile(from, draft);
    if (!(await isAsListed(draft, file, startProgress))) {
      throw new BackupError(
        `${to}: what was written is not what the manifest lists for ${file.name}, so it was removed; check the disk, and use another backup`,
      );
    }
    if (file.kind === "shard" && redactions.length > 0) {
      await redactFile(file.shard, draft, redactions);
    }
  });

async function restoreExport(
  file: ShardFile,
  from: string,
  to: ShardLocation,
  redactions: readonly Redaction[],
  options: TakeInOptions,
): Promise<void> {
  if (to.engine === "sqlite") {
    await asDraft(to.path, async (path) => {
      const location = { engine: "sqlite", path } as const;
      const target = { location, shown: to.path, disposal: "it was removed" };
      await takeIn(file, from, target, redactions, options);
      await emptyWal(file.shard, location);
    });
    return;
  }
  const target = {
    location: to,
    shown: showLocation(to),
    disposal: `drop it (${dropping(to)}), because servers use it`,
  };
  try {
    await takeIn(file, from, target, redactions, options);
  } catch (error) {
    if (error instanceof BackupError || !(error instanceof StoreError)) throw error;
    throw new BackupError(
      `${error.message}. A part of ${file.shard} may be restored, and servers use it: drop it (${dropping(to)}), then restore it again`,
      { cause: error },
    );
  }
}

/** Another process has created the file: a server creates a missing usage.sqlite at any time. */
class CreatedMeanwhile extends Error {
  constructor(readonly path: string) {
    super();
  }
}

/** Fills a file that servers do not see, and then gives it its name, or throws CreatedMeanwhile. */
async function asDraft<T>(to: string, fill: (draft: string) => Promise<T>): Promise<T> {
  makeFolder(dirname(to));
  const draft = `${to}.restoring`;
  const clear = () => {
    for (const suffix of COMPANIONS) rmSync(`${draft}${suffix}`, { force: true });
  };
  try {
    // An interrupted restore may have left some.
    clear();
    const result = await fill(draft);
    try {
      publish(draft, to);
    } catch (error) {
      throw (error as NodeJS.ErrnoException).code === "EEXIST" ? new CreatedMeanwhile(to) : error;
    }
    return result;
  } finally {
    clear();
  }
}

/** A file is published without its WAL. */
async function emptyWal(shard: string, location: SqliteLocation): Promise<void> {
  const writer = openWriter(shard, location);
  try {
    if (!(await writer.emptyLog())) {
      throw new BackupError(`${location.path}: another program reads it; stop it, and retry`);
    }
  } finally {
    await writer.close();
  }
  syncFile(location.path);
}

/** Removes players who were redacted after the backup was made. */
async function redactFile(
  shard: string,
  path: string,
  redactions: readonly Redaction[],
): Promise<void> {
  const writer = openWriter(shard, { engine: "sqlite", path });
  try {
    const missing = lacking(redactions, await writer.redactions());
    if (missing.length === 0) return;
    await redactPlayers(writer, missing);
    await writer.emptyLog();
  } finally {
    await writer.close();
  }
  syncFile(path);
}

async function isAsListed(
  path: string,
  file: BackupFile,
  startProgress: StartProgress,
): Promise<boolean> {
  const hasContent =
    file.kind === "shard"
      ? await hasShard(path, file, startProgress)
      : Bun.deepEquals(await accessCounts({ kind: file.kind, path }), file.counts);
  // Last: reading the file has changed nothing.
  return hasContent && formatIn(path) === file.format && (await isIntact(path, file));
}

async function hasShard(
  path: string,
  { shard, counts, digest }: ShardFile,
  startProgress: StartProgress,
): Promise<boolean> {
  const content = await contentOf(shard, path, startProgress);
  return content?.digest === digest && Bun.deepEquals(content.counts, counts);
}
