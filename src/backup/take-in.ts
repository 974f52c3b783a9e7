/** Ingests the export of a shard from a backup into an empty location, and compares the result with the manifest. */

import { ingest } from "../ingest/ingest.ts";
import { isComplete, recordsIn } from "../ingest/report.ts";
import { readSource } from "../ingest/source.ts";
import { unobserved } from "../observe/events.ts";
import { openShards } from "../open-stores.ts";
import type { Settings } from "../settings/definitions.ts";
import { type ShardLocation, showLocation } from "../settings/shard-locations.ts";
import type { Shards } from "../store/shards.ts";
import { BackupError, type ShardFile } from "./manifest.ts";
import type { StartProgress } from "./progress.ts";
import { verified } from "./shard-file.ts";

export interface TakeInOptions {
  settings: Settings;
  /** How many threads read the records. */
  threads: number;
  startProgress: StartProgress;
}

/** Throws BackupError if the shard differs from what was backed up. */
export async function takeIn(
  file: ShardFile,
  from: string,
  location: ShardLocation,
  options: TakeInOptions,
): Promise<void> {
  const { shard: id } = file;
  const shards = openShards({ data: "", shards: [{ id, location }] }, unobserved);
  try {
    const isAccepted = await ingestFile(file, from, shards, options);
    const found = await verified(shards.writer(id), `${id}: verify`, options.startProgress);
    const { counts, digest } = file;
    if (isAccepted && Bun.deepEquals(found, { counts, digest })) return;
  } finally {
    await shards.close();
  }
  throw new BackupError(
    `${showLocation(location)}: the restored shard is not what the manifest lists for ${file.name}: do not use it, delete it, and use another backup`,
  );
}

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

/** Whether there are records at a location. Creates nothing. */
export async function hasRecords(id: string, location: ShardLocation): Promise<boolean> {
  const shards = openShards(
    { data: "", shards: [{ id, location }] },
    unobserved,
    undefined,
    "read",
  );
  try {
    const counts = await (await shards.existingWriter(id))?.counts();
    if (!counts) return false;
    return counts.served + Object.values(counts.withheld).reduce((sum, one) => sum + one, 0) > 0;
  } finally {
    await shards.close();
  }
}
