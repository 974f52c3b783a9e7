/** Ingests the export of a shard from a backup into an empty location, and compares the result with the manifest. */

import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { ingest } from "../ingest/ingest.ts";
import { isComplete, recordsIn } from "../ingest/report.ts";
import { readSource } from "../ingest/source.ts";
import { unobserved } from "../observe/events.ts";
import { openShards } from "../open-stores.ts";
import type { Settings } from "../settings/definitions.ts";
import type { ShardLocation } from "../settings/shard-locations.ts";
import type { Shards } from "../store/shards.ts";
import type { Redaction } from "../store/store.ts";
import { BackupError, type ShardCounts, type ShardFile } from "./manifest.ts";
import type { StartProgress } from "./progress.ts";
import { type Verified, verified } from "./shard-file.ts";

export interface TakeInOptions {
  settings: Settings;
  /** How many threads read the records. */
  threads: number;
  startProgress: StartProgress;
}

/** Where an export goes. */
export interface Target {
  location: ShardLocation;
  /** What it is called in messages. */
  shown: string;
  /** What happens to a shard that differs, e.g. "it was removed". */
  disposal: string;
}

/** Throws BackupError if the shard differs from what was backed up. */
export async function takeIn(
  file: ShardFile,
  from: string,
  { location, shown, disposal }: Target,
  redactions: readonly Redaction[],
  options: TakeInOptions,
): Promise<void> {
  const { shard: id } = file;
  const shards = openShards({ data: "", shards: [{ id, location }] }, unobserved);
  try {
    const writer = shards.writer(id);
    await writer.write(async (transaction) => transaction.addRedactions([...redactions]));
    const isAccepted = await ingestFile(file, from, shards, options);
    const found = await verified(writer, `${id}: verify`, options.startProgress);
    const exported = await redactedIn(from);
    const isRedactedSince = redactions.some(({ playerId }) => !exported.has(playerId));
    if (isAccepted && isSame(file, found, isRedactedSince)) return;
  } finally {
    await shards.close();
  }
  throw new BackupError(
    `${shown}: the restored shard is not what the manifest lists for ${file.name}: ${disposal}; use another backup`,
  );
}

/**
 * The players whose redaction an export has: its first lines. The manifest may list more of them, if a player was
 * redacted during the export.
 */
async function redactedIn(path: string): Promise<Set<string>> {
  const ids = new Set<string>();
  const input = Readable.from(readSource(path, () => {}));
  try {
    for await (const line of createInterface({ input })) {
      const player: unknown = JSON.parse(line).meta?.matchbook?.redacted?.player;
      if (typeof player !== "string") break;
      ids.add(player);
    }
  } finally {
    input.destroy();
  }
  return ids;
}

/** Players who were redacted after the export was made change the digest, and which private matches are served. */
function isSame({ counts, digest }: ShardFile, found: Verified, isRedactedSince: boolean): boolean {
  if (Bun.deepEquals(found, { counts, digest })) return true;
  return isRedactedSince && counts !== null && recordsOf(found.counts) === recordsOf(counts);
}

const recordsOf = ({ served, withheld }: Pick<ShardCounts, "served" | "withheld">): number =>
  Object.values(withheld).reduce((sum, count) => sum + count, served);

async function ingestFile(
  { shard, bytes, longestRecord = 0 }: ShardFile,
  from: string,
  shards: Shards,
  { settings, threads, startProgress }: TakeInOptions,
): Promise<boolean> {
  const progress = startProgress(`${shard}: ingest`, bytes, "matches");
  let bytesRead = 0;
  const onRead = (more: number) => {
    bytesRead += more;
  };
  try {
    const report = await ingest([{ name: from, bytes: readSource(from, onRead) }], {
      writer: (id) => shards.writer(id),
      clock: Date.now,
      batch: settings.batch,
      replace: false,
      threads,
      context: {
        shard,
        shards: shards.allowed,
        titleId: settings["title-id"],
        // The limit may have been lowered since the record was stored.
        longest: Math.max(settings["max-record-bytes"], longestRecord),
      },
      // Whatever is not accepted is missing in the comparison.
      onRejection() {},
      onConflict() {},
      onProgress: (report) => progress.update(bytesRead, recordsIn(report)),
    });
    return isComplete(report);
  } finally {
    progress.stop();
  }
}

/** Whether there are records at a location, or were before they were pruned. Creates nothing. */
export async function hasRecords(id: string, location: ShardLocation): Promise<boolean> {
  const shards = openShards(
    { data: "", shards: [{ id, location }] },
    unobserved,
    undefined,
    "read",
  );
  try {
    const writer = await shards.existingWriter(id);
    if (!writer) return false;
    return recordsOf(await writer.counts()) > 0 || (await writer.prunedBefore()) !== undefined;
  } finally {
    await shards.close();
  }
}
