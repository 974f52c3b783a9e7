/** Copies of an empty shard: to create its tables takes longer than to store a few records in it. */

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { unobserved } from "../../src/observe/events.ts";
import { openShards } from "../../src/open-stores.ts";
import { loadSettings } from "../../src/settings/load.ts";
import { aFolder } from "./world.ts";

/** By shard, which its file names. */
const made = new Map<string, Promise<Buffer>>();

/** Puts an empty shard into a data folder. */
export async function addEmptyShard(data: string, shard: string): Promise<void> {
  const bytes = made.get(shard) ?? make(shard);
  made.set(shard, bytes);
  writeFileSync(join(data, `${shard}.db`), await bytes, { mode: 0o600, flag: "wx" });
}

async function make(shard: string): Promise<Buffer> {
  const { path, remove } = aFolder();
  const { values } = loadSettings({ flags: { data: path }, env: {}, cwd: path });
  const shards = openShards(values, unobserved);
  await shards.writer(shard).write(async () => {});
  await shards.close();
  const bytes = readFileSync(join(path, `${shard}.db`));
  remove();
  return bytes;
}
