/** A damaged shard, the new one that is built beside it, and the swap of both. */

import type { Awaitable } from "../domain/awaitable.ts";
import type { StoredState, Writer } from "./store.ts";

/** What can be read of a damaged shard: what cannot is a DamagedData, and further reads are possible. */
export type ReadableState = Omit<StoredState, "checkIndexes">;

/** Writers of the damaged shard wait until `close`. */
export interface ShardRepair {
  /** Whether the latest changes could not be read completely; undefined if they are not stored separately. */
  readonly isWalCut?: boolean;
  /** Runs `work` on the damaged shard, as its indexes find it, and without them. */
  survey<T>(work: (state: ReadableState, unindexed: ReadableState) => Promise<T>): Promise<T>;
  /** The writer of the new, empty shard. One that an interrupted run has left is built again. */
  open(): Awaitable<Writer>;
  /** Called when the new shard is built and checked. */
  complete(): Awaitable<void>;
  /** A name for the damaged shard, with this time stamp. */
  keptName(stamp: string): Awaitable<string>;
  /** Replaces the damaged shard, which is kept under that name. */
  swap(kept: string): Awaitable<void>;
  /** Lets writers continue. Removes the new shard, unless it was swapped in. */
  close(): Awaitable<void>;
}
