/** The contract for finding shards. Each has a store of its own. */

import type { Awaitable } from "../domain/awaitable.ts";
import type { Reader, Writer } from "./store.ts";

/** The shards callers may read. */
export interface ReadableShards {
  /** The ids of all shards there are now, in order. */
  list(): Awaitable<string[]>;
  /**
   * A reader for one request; undefined when there is no such shard. All its calls go to the same replica,
   * where there are any, as long as that one answers. Nobody has to close it. May throw StoreError.
   */
  reader(id: string): Awaitable<Reader | undefined>;
  /** Whether each replica of a shard is read from now, in their order; empty where there are none. */
  replicas(id: string): readonly boolean[];
}

/** The shards as operators and ingest see them. */
export interface Shards extends ReadableShards {
  /** The ids that records may name; undefined when a new id makes a new shard. */
  readonly allowed: ReadonlySet<string> | undefined;
  /** The writer of a shard, made when it is not there yet. May throw StoreError. */
  writer(id: string): Writer;
  /** The writer of a shard that is there already. */
  existingWriter(id: string): Awaitable<Writer | undefined>;
  close(): Awaitable<void>;
}
