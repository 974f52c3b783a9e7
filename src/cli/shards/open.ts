/** In charge of opening the one shard that a verb is about, and of ids that no shard has. */

import { unobserved } from "../../observe/events.ts";
import type { Settings } from "../../settings/table.ts";
import type { Shards } from "../../store/shards.ts";
import type { Keeper } from "../../store/store.ts";
import { nearest } from "../../text/nearest.ts";
import { openShards } from "../../wiring.ts";
import { Failure } from "../verb.ts";

export async function withShards<T>(
  settings: Settings,
  work: (shards: Shards) => Promise<T>,
): Promise<T> {
  const shards = openShards(settings, unobserved);
  try {
    return await work(shards);
  } finally {
    await shards.close();
  }
}

/** The keeper of a shard in which there is something, or was. */
export async function keeperOf(shards: Shards, id: string): Promise<Keeper> {
  const keeper = await shards.existingKeeper(id);
  if (keeper) return keeper;
  const ids = await shards.list();
  if (ids.includes(id)) throw new Failure(`nothing was ever received in ${id}: ingest makes it`);
  throw noShard(id, ids);
}

export function noShard(id: string, ids: readonly string[]): Failure {
  const guess = nearest(id, ids);
  return new Failure(
    `there is no shard ${JSON.stringify(id)}; ${guess ? `did you mean ${guess}? ` : ""}there are: ${ids.join(", ") || "none yet"}`,
  );
}
