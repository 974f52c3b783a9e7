/** The row of the shard itself. */

import { randomBytes } from "node:crypto";
import { put, type Steps, select } from "../steps.ts";
import { DamagedData } from "../store.ts";
import { SHARD, type ShardColumns } from "../tables.ts";

/** Throws DamagedData unless the row is there, and whole. */
export function* readShard(): Steps<ShardColumns> {
  return present((yield* select(SHARD, "LIMIT 1"))[0]);
}

/** What was read with the row. Throws DamagedData if there is nothing: the row is missing. */
export function present<T>(read: T | undefined): T {
  if (read === undefined) throw new DamagedData(SHARD.name, "row 1");
  return read;
}

/** The row of a new shard. */
export const newShard = (id: string): ShardColumns => ({
  id,
  log_id: randomBytes(16).toString("hex"),
  sequence: 0,
  token: "",
  pruned_before: null,
  matches: 0,
  players: 0,
  teams: 0,
  last_player: 0,
  last_team: 0,
});

export const shardRow = {
  *prunedBefore(): Steps<number | undefined> {
    return (yield* readShard()).pruned_before ?? undefined;
  },

  *setPrunedBefore(time: number): Steps<void> {
    yield* put(SHARD, [{ ...(yield* readShard()), pruned_before: time }]);
  },
};
