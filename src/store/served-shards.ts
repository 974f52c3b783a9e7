/**
 * The shards of the settings that a server has served from files: a small file in the data folder. It tells a file that
 * was lost from one that is yet to be created.
 */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { replaceFile } from "../durable-files.ts";

const FILE = "served-shards.json";

/** None if the file is missing or damaged. */
export function servedShards(data: string): ReadonlySet<string> {
  try {
    const ids: unknown = JSON.parse(readFileSync(join(data, FILE), "utf8"));
    return new Set(Array.isArray(ids) ? ids : []);
  } catch {
    return new Set();
  }
}

/** Replaces the list: a shard that was removed from the settings may be deleted. */
export function recordServed(data: string, ids: readonly string[]): void {
  const sorted = [...ids].sort();
  if (Bun.deepEquals([...servedShards(data)], sorted)) return;
  try {
    replaceFile(join(data, FILE), `${JSON.stringify(sorted)}\n`);
  } catch {
    // A disk that is full or read-only does not keep the server from starting: it may not notice a loss.
  }
}
