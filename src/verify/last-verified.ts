/** When each shard was last verified, and with what result: a small file in the data folder, for `matchbook doctor`. */

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isObject } from "../domain/json.ts";
import { parseTimestamp } from "../domain/time.ts";
import { replaceFile } from "../durable-files.ts";
import { StoreError } from "../store/store.ts";

const FILE = "verified.json";

export interface Verified {
  at: string;
  /** How many damaged records were found. */
  damaged: number;
}

/** The last of each kind. A full one replaces a quick one, which does less. */
export interface VerifiedShard {
  full?: Verified;
  quick?: Verified;
}

export type VerifiedShards = ReadonlyMap<string, VerifiedShard>;

export const verifiedPath = (data: string): string => join(data, FILE);

/** By shard id. Throws StoreError if the file is damaged. */
export function readVerified(data: string): VerifiedShards {
  const path = verifiedPath(data);
  if (!existsSync(path)) return new Map();
  try {
    const shards: unknown = JSON.parse(readFileSync(path, "utf8"));
    if (isObject(shards) && Object.values(shards).every(isVerifiedShard)) {
      return new Map(Object.entries(shards) as [string, VerifiedShard][]);
    }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw new StoreError(`${path} is damaged, so that the last results are unknown`);
}

const isVerifiedShard = (value: unknown): boolean =>
  isObject(value) && [value.full, value.quick].every((one) => one === undefined || isVerified(one));

const isVerified = (value: unknown): boolean =>
  isObject(value) &&
  typeof value.at === "string" &&
  parseTimestamp(value.at) !== undefined &&
  Number.isInteger(value.damaged);

/** Adds results to the file, in one step. A damaged file is replaced. Throws if it cannot be written. */
export function recordVerified(
  data: string,
  kind: keyof VerifiedShard,
  results: ReadonlyMap<string, Verified>,
): void {
  const shards = new Map(knownIn(data));
  for (const [id, result] of results) {
    shards.set(id, kind === "full" ? { full: result } : { ...shards.get(id), quick: result });
  }
  replaceFile(verifiedPath(data), `${JSON.stringify(Object.fromEntries(shards))}\n`);
}

function knownIn(data: string): VerifiedShards {
  try {
    return readVerified(data);
  } catch (error) {
    if (error instanceof StoreError) return new Map();
    throw error;
  }
}
