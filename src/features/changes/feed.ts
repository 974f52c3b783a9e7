/**
 * Reads the change logs for streams. Streams at one position share a read, for a moment; as all of them go on from the end
 * of the same batch, those who have caught up are soon at one position.
 */

import type { Observe } from "../../observe/events.ts";
import type { ReadableShards } from "../../store/shards.ts";
import { type ChangeBatch, type LogPosition, StoreUnavailable } from "../../store/store.ts";

/** How many changes of the log are examined at once. */
export const MAX_EXAMINED = 1000;

/** Also of changes by other processes, a stream has each within two seconds of its commit. */
export const POLL_MS = 500;

/** After this many failed reads in a row, streams are ended. */
export const MAX_FAILURES = 10;

/** "expired": the position is not in the log. */
type Read = ChangeBatch | "expired";

export class ChangeFeed {
  /** The reads that are shared, by shard and position. */
  readonly #shared = new Map<string, Promise<Read>>();
  /** Failed reads in a row, by shard. */
  readonly #failures = new Map<string, number>();

  constructor(
    private readonly shards: Pick<ReadableShards, "reader">,
    private readonly observe: Observe,
    readonly pollMs: number,
  ) {}

  /** The changes after a position, as they were at most `pollMs` ago. May throw StoreError. */
  read(shard: string, after: LogPosition): Promise<Read> {
    const key = `${shard} ${after.number} ${after.tag}`;
    const read = this.#shared.get(key) ?? this.#read(key, shard, after);
    this.#shared.set(key, read);
    return read;
  }

  async #read(key: string, shard: string, after: LogPosition): Promise<Read> {
    let sharedMs = this.pollMs;
    try {
      const reader = await this.shards.reader(shard);
      if (!reader) throw new StoreUnavailable(`shard ${shard} does not exist any more`);
      const batch = (await reader.changes(after, MAX_EXAMINED)) ?? "expired";
      this.#failures.delete(shard);
      // Large, and hardly wanted by another stream.
      if (batch !== "expired" && !batch.isLast) sharedMs = 0;
      return batch;
    } catch (error) {
      const failures = (this.#failures.get(shard) ?? 0) + 1;
      this.#failures.set(shard, failures);
      // Once for all streams.
      if (failures === MAX_FAILURES) this.observe({ event: "changes-unreadable", shard, error });
      throw error;
    } finally {
      setTimeout(() => this.#shared.delete(key), sharedMs).unref();
    }
  }
}
