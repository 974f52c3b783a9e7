/** The row of the shard itself. */

import { put, type Steps, select } from "../steps.ts";
import { DamagedData } from "../store.ts";
import { SHARD, type ShardColumns } from "../tables.ts";

/** Throws DamagedData unless the row is there, and whole. */
export function* readShard(): Steps<ShardColumns> {
  const [row] = yield* select(SHARD, "LIMIT 1");
  if (!row) throw new DamagedData(SHARD.name, "row 1");
  return row;
}

export const shardRow = {
  *prunedBefore(): Steps<number | undefined> {
    return (yield* readShard()).pruned_before ?? undefined;
  },

  *setPrunedBefore(time: number): Steps<void> {
    yield* put(SHARD, [{ ...(yield* readShard()), pruned_before: time }]);
  },
};
