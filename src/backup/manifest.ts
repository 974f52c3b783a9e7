/** The manifest of a backup: what is in its files, and what is missing. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isShardId } from "../domain/identifiers.ts";
import type { AccessCounts } from "../open-access.ts";
import { isListed, type ListedRedaction } from "../redact/list.ts";
import { type Counts, StoreError } from "../store/store.ts";

export const MANIFEST = "manifest.json";

/** Raised when an older Matchbook could not restore what a newer one has backed up. */
const MANIFEST_FORMAT = 1;

export interface Manifest {
  manifest: typeof MANIFEST_FORMAT;
  /** The version that made the backup. */
  matchbook: string;
  createdAt: string;
  files: BackupFile[];
  missing: MissingPart[];
  /** The redactions of the shards at that time. Restore applies them, and later ones, again. */
  redactions: ListedRedaction[];
}

interface StoredFile {
  name: string;
  /** Of the SQLite file. */
  format: number;
  bytes: number;
  sha256: string;
}

interface ShardFile extends StoredFile {
  kind: "shard";
  shard: string;
  counts: ShardCounts;
}

interface AccessFile extends StoredFile {
  /** E.g. "keys". */
  kind: string;
  counts: AccessCounts;
}

export type BackupFile = ShardFile | AccessFile;

export const isShardFile = (file: BackupFile): file is ShardFile => file.kind === "shard";

type ShardCounts = Omit<Counts, "bytes" | "newestMatch"> & { newestMatch: string | null };

/** How much is in a file, for operators. */
export function describeContent(file: BackupFile): string {
  if (isShardFile(file)) return counted(file.counts.served, "match", "matches");
  const [[many, count] = ["", undefined]] = Object.entries(file.counts);
  return counted(count, many.replace(/s$/, ""), many);
}

const counted = (count: number | undefined, one: string, many: string): string =>
  count === undefined ? "?" : `${count} ${count === 1 ? one : many}`;

/** Something that is not in the backup. */
export interface MissingPart {
  /** "shard", "redactions", or what is beside the shards, e.g. "keys". */
  kind: string;
  shard?: string;
  reason: string;
  /** Whether it should be there. */
  isFailure: boolean;
}

/** The backup cannot be made, or cannot be used. */
export class BackupError extends StoreError {
  override name = "BackupError";
}

export const newManifest = (version: string, now: number): Manifest => ({
  manifest: MANIFEST_FORMAT,
  matchbook: version,
  createdAt: new Date(now).toISOString(),
  files: [],
  missing: [],
  redactions: [],
});

/** Throws BackupError. */
export function readManifest(folder: string): Manifest {
  const path = join(folder, MANIFEST);
  let manifest: Partial<Manifest> | null;
  try {
    manifest = JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    if (error instanceof SyntaxError) throw damaged(path);
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    throw new BackupError(
      `${folder} has no ${MANIFEST}: it is not a backup, or the backup was interrupted; use another one`,
    );
  }
  const version = manifest?.manifest as number | undefined;
  if (version !== undefined && version > MANIFEST_FORMAT) {
    throw new BackupError(
      `${folder} was made by Matchbook ${manifest?.matchbook}, which this version cannot restore; upgrade Matchbook`,
    );
  }
  const isWhole =
    Array.isArray(manifest?.files) &&
    manifest.files.every(isSafe) &&
    Array.isArray(manifest.missing) &&
    Array.isArray(manifest.redactions) &&
    manifest.redactions.every(isListed);
  if (version !== MANIFEST_FORMAT || !isWhole) throw damaged(path);
  return manifest as Manifest;
}

/** The names become paths. */
const isSafe = (file: BackupFile | null): boolean =>
  typeof file?.name === "string" &&
  /^[\w-]+(\.[\w-]+)+$/.test(file.name) &&
  (!isShardFile(file) || isShardId(file.shard));

const damaged = (path: string): BackupError =>
  new BackupError(`${path} is damaged: use another backup`);
