/** Puts the files of a backup where the settings say. What is there already is left alone. */

import { existsSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { closing } from "../domain/awaitable.ts";
import { makeFolder, syncFile } from "../durable-files.ts";
import { accessFiles, readRedactionList, withRedactionList } from "../open-access.ts";
import { locationOf, openWriter } from "../open-stores.ts";
import { type ListedRedaction, lacking, listedIn, redactionsOf } from "../redact/list.ts";
import { redactPlayers } from "../redact/redact.ts";
import type { Settings } from "../settings/definitions.ts";
import { showLocation } from "../settings/shard-locations.ts";
import type { Redaction } from "../store/store.ts";
import { copyFile, publish, sha256Of } from "./files.ts";
import { BackupError, type BackupFile, isShardFile } from "./manifest.ts";

/** A file of a backup, and where it goes. */
type RestoreStep = ReturnType<typeof stepsFor>[number];

/** What became of a step. With what was there already, so that the file was not restored. */
export type RestoreOutcome = RestoreStep & { found: string[] };

/**
 * `redactions` are those of the backup; those on the list are applied too. Yields the outcome of each step when it is done. Throws BackupError; the steps before are done then. A file gets its
 * name when it is complete, so that a running server never sees another one.
 */
export async function* restore(
  steps: readonly RestoreStep[],
  settings: Settings,
  redactions: readonly ListedRedaction[],
): AsyncGenerator<RestoreOutcome> {
  const list = [...listedIn(await readRedactionList(settings)), ...redactions];
  const outcomes = steps.map((step) => ({ ...step, found: whatIsThere(step.to) }));
  const wanted = outcomes.filter(({ found }) => found.length === 0);
  yield* outcomes.filter(({ found }) => found.length > 0);
  await checkFiles(wanted);
  for (const step of wanted) yield await restoreStep(step, list, settings);
}

async function restoreStep(
  step: RestoreStep,
  list: readonly ListedRedaction[],
  settings: Settings,
): Promise<RestoreOutcome> {
  const { file, from, to } = step;
  const shard = isShardFile(file) ? file.shard : undefined;
  const redactions = shard === undefined ? [] : redactionsOf(list, shard);
  // First: a shard that lacks one is not served.
  if (shard !== undefined) await withRedactionList(settings, (one) => one.add(shard, redactions));
  makeFolder(dirname(to));
  const draft = `${to}.restoring`;
  const clear = () => {
    for (const suffix of COMPANIONS) rmSync(`${draft}${suffix}`, { force: true });
  };
  try {
    // An interrupted restore may have left some.
    clear();
    await copyFile(from, draft);
    if (shard !== undefined && redactions.length > 0) await redactFile(shard, draft, redactions);
    publish(draft, to);
    return { ...step, found: [] };
  } catch (error) {
    // Another process has created it: a server creates a missing usage.sqlite at any time.
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    return { ...step, found: [to] };
  } finally {
    clear();
  }
}

/**
 * Where each file goes. Throws BackupError if the settings have no place for it. Shards come last, because they take
 * longest: a running server creates a missing usage.sqlite as soon as there is a data folder.
 */
export function stepsFor(settings: Settings, folder: string, files: readonly BackupFile[]) {
  const isShard = ({ kind }: BackupFile) => Number(kind === "shard");
  return files
    .toSorted((one, other) => isShard(one) - isShard(other))
    .map((file) => ({ file, from: join(folder, file.name), to: placeOf(settings, file) }));
}

function placeOf(settings: Settings, file: BackupFile): string {
  if (!isShardFile(file)) {
    const place = accessFiles(settings).find(({ kind }) => kind === file.kind);
    if (place) return place.path;
    throw new BackupError(
      `keys-database is set, so ${file.name} would not be used: name the shards to restore, or leave out that setting`,
    );
  }
  const { shards } = settings;
  if (shards.length > 0 && !shards.some(({ id }) => id === file.shard)) {
    throw new BackupError(
      `the settings have no shard ${file.shard}, so it would not be served: add [shards.${file.shard}], or name the shards to restore`,
    );
  }
  const location = locationOf(settings, file.shard);
  if (location.engine === "sqlite") return location.path;
  throw new BackupError(
    `the settings place ${file.shard} in PostgreSQL (${showLocation(location)}), and the backup has an SQLite file: restore it without that setting, then run 'matchbook shards move'`,
  );
}

/** What SQLite puts beside a file. An old WAL would damage a new file. */
const COMPANIONS = ["", "-wal", "-shm", "-journal"];

const whatIsThere = (to: string): string[] =>
  COMPANIONS.map((suffix) => `${to}${suffix}`).filter((path) => existsSync(path));

/** Before anything is written. */
async function checkFiles(steps: readonly RestoreStep[]): Promise<void> {
  const damaged: string[] = [];
  for (const { file, from } of steps) if (!(await isIntact(from, file))) damaged.push(from);
  if (damaged.length === 0) return;
  throw new BackupError(
    `${damaged.join(", ")}: missing, or not the file that was backed up (its SHA-256 differs); nothing was restored. Use another backup, or name the shards to restore`,
  );
}

async function isIntact(path: string, { bytes, sha256 }: BackupFile): Promise<boolean> {
  if (statSync(path, { throwIfNoEntry: false })?.size !== bytes) return false;
  return (await sha256Of(path)) === sha256;
}

/** Removes players who were redacted after the backup was made. */
async function redactFile(
  shard: string,
  path: string,
  redactions: readonly Redaction[],
): Promise<void> {
  {
    await using writer = closing(openWriter(shard, { engine: "sqlite", path }));
    const missing = lacking(redactions, await writer.redactions());
    if (missing.length === 0) return;
    await redactPlayers(writer, missing);
    await writer.emptyLog();
  }
  syncFile(path);
}
