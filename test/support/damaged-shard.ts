/** Writes a file that is recognized as a shard, but cannot be opened. */

import { writeFileSync } from "node:fs";
import { APPLICATION_ID } from "../../src/store/sqlite/open.ts";

export function writeDamagedShard(path: string): void {
  const bytes = Buffer.from("this is what remains of a shard, ".repeat(1000));
  // Where an SQLite file has its application id.
  bytes.writeUInt32BE(APPLICATION_ID, 68);
  writeFileSync(path, bytes);
}
