/** Prunes a shard within this process, as `matchbook prune` does. */

import { unobserved } from "../../src/observe/events.ts";
import { openShards } from "../../src/open-stores.ts";
import { type Pruned, prune } from "../../src/prune/prune.ts";
import type { Settings } from "../../src/settings/definitions.ts";
import type { Writer } from "../../src/store/store.ts";

export async function withShards<T>(
  settings: Settings,
  work: (shards: ReturnType<typeof openShards>) => Promise<T>,
): Promise<T> {
  const shards = openShards(settings, unobserved);
  try {
    return await work(shards);
  } finally {
    await shards.close();
  }
}

export const withWriter = <T>(
  settings: Settings,
  shard: string,
  work: (writer: Writer) => Promise<T>,
): Promise<T> => withShards(settings, (shards) => work(shards.writer(shard)));

/** Removes what was created before a time, in transactions of `step` records. */
export const pruneAt = (
  settings: Settings,
  shard: string,
  before: number,
  step = 100,
): Promise<Pruned> =>
  withWriter(settings, shard, (writer) => prune(writer, before, { step, rest: 0 }));
