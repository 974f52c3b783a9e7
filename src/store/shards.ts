/** The contract for access to the shards. */

import type { Awaitable } from "../domain/awaitable.ts";
import type { Checker, DamagedData, Reader, Writer } from "./store.ts";

export interface ReadableShards {
  /** The ids of all current shards, sorted. */
  list(): Awaitable<string[]>;
  /**
   * A reader for one request; undefined if there is no such shard. All its calls go to the same
   * replica, if there are any, as long as that one responds. It need not be closed. May throw
   * StoreError.
   */
  reader(id: string): Awaitable<Reader | undefined>;
  /** Whether each replica of a shard is in use, in their order; empty without replicas. */
  replicas(id: string): readonly boolean[];
}

/** Whether a check runs beside requests, or by itself. */
export type CheckPurpose = "background" | "verify";

/** The shards as ingest and the admin commands use them. */
export interface Shards extends ReadableShards {
  /** The ids that records may have; undefined if a new id creates a new shard. */
  readonly allowed: ReadonlySet<string> | undefined;
  /**
   * Creates the shard if it does not exist, unless it `mustExist`. May throw StoreError. Call it for every
   * transaction: a file that was replaced has a new writer.
   */
  writer(id: string, mustExist?: boolean): Writer;
  /**
   * Creates the file of a shard, if it has one and it does not exist. If that fails, the shard is unavailable. "none": it
   * has no file.
   */
  create(id: string): Awaitable<"created" | "existing" | "failed" | "none">;
  /**
   * A new pass over an existing shard. Undefined if there is no shard yet. "verify" is faster, with longer steps, and waits
   * longer for a slow database. May throw StoreError.
   */
  checker(id: string, purpose?: CheckPurpose): Awaitable<Checker | undefined>;
  /**
   * Records what the last pass has found. With damage, the shard is unavailable (DamagedShard) in all processes that
   * use the same data folder, until there is none or its store is replaced.
   */
  setDamage(id: string, damage: readonly DamagedData[]): Awaitable<void>;
  /** The writer of an existing shard. */
  existingWriter(id: string): Awaitable<Writer | undefined>;
  close(): Awaitable<void>;
}
