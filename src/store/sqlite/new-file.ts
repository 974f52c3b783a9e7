/** A shard that is built in a new file, which nobody else uses until it is complete. */

import { syncFile } from "../../durable-files.ts";
import { openForWriting } from "./open.ts";
import { SqliteWriter } from "./writer.ts";

const CACHED_KIB = 128 * 1024;

/** Until it is closed nothing is sure to be on the disk, and a failure leaves a file to throw away. */
export function openNewFile(shard: string, path: string): SqliteWriter {
  const database = openForWriting(path, shard, CACHED_KIB);
  for (const setting of ["journal_mode = OFF", "synchronous = OFF"]) {
    database.run(`PRAGMA ${setting}`);
  }
  return new SqliteWriter(database);
}

/** Called when it is closed: it is then on the disk, and in the mode in which shards are used. */
export function completeFile(shard: string, path: string): void {
  openForWriting(path, shard).close();
  syncFile(path);
}
