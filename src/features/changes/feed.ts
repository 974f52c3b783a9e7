/**
 * Waits for changes of the shards. While somebody waits, the log of a shard is polled, so that changes by other
 * processes are noticed too. One read serves everyone who waits at the same position; as all of them go on from the end
 * of the same batch, those who have caught up are soon at one position.
 */

import type { Observe } from "../../observe/events.ts";
import type { ReadableShards } from "../../store/shards.ts";
import { type ChangeBatch, type LogPosition, StoreUnavailable } from "../../store/store.ts";

/** How many changes of the log are examined at once. */
export const MAX_EXAMINED = 1000;

/** A change is served within two seconds of its commit. */
export const POLL_MS = 500;

/** After this many failed reads in a row, those who wait are told. */
const MAX_FAILURES = 10;

/** "expired": the position is not in the log. "cancelled": nothing was read. */
export type Outcome = ChangeBatch | "expired" | "cancelled";

export interface Waiting {
  /** The changes after the position, as soon as there are any. Rejects if the shard cannot be read. */
  outcome: Promise<Outcome>;
  cancel(): void;
}

interface Group {
  position: LogPosition;
  waiters: Set<PromiseWithResolvers<Outcome>>;
  /** Failed reads in a row. */
  failures: number;
}

export class ChangeFeed {
  readonly #polled = new Map<string, ShardPoll>();
  #isStopping = false;

  constructor(
    private readonly shards: Pick<ReadableShards, "reader">,
    private readonly observe: Observe,
    private readonly pollMs: number,
  ) {}

  get isStopping(): boolean {
    return this.#isStopping;
  }

  /** The changes after a position, for those who have not caught up. May throw StoreError. */
  async read(shard: string, after: LogPosition): Promise<ChangeBatch | "expired"> {
    const reader = await this.shards.reader(shard);
    if (!reader) throw new StoreUnavailable(`shard ${shard} does not exist any more`);
    return (await reader.changes(after, MAX_EXAMINED)) ?? "expired";
  }

  /** Waits for changes after a position at which there were none. */
  wait(shard: string, after: LogPosition): Waiting {
    const waiter = Promise.withResolvers<Outcome>();
    if (this.#isStopping) {
      waiter.resolve("cancelled");
      return { outcome: waiter.promise, cancel() {} };
    }
    const poll = this.#polled.get(shard) ?? this.#newPoll(shard);
    this.#polled.set(shard, poll);
    const leave = poll.join(after, waiter);
    return {
      outcome: waiter.promise,
      cancel() {
        leave();
        waiter.resolve("cancelled");
      },
    };
  }

  /** Cancels all waiting, now and from now on. */
  stop(): void {
    this.#isStopping = true;
    for (const poll of this.#polled.values()) poll.stop();
    this.#polled.clear();
  }

  #newPoll(shard: string): ShardPoll {
    const onFailure = (error: unknown) =>
      this.observe({ event: "changes-unreadable", shard, error });
    return new ShardPoll((after) => this.read(shard, after), onFailure, this.pollMs);
  }
}

/** Polls the log of one shard while somebody waits for it. */
class ShardPoll {
  /** By position. */
  readonly #groups = new Map<string, Group>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isPolling = false;

  constructor(
    private readonly read: (after: LogPosition) => Promise<ChangeBatch | "expired">,
    private readonly onFailure: (error: unknown) => void,
    private readonly pollMs: number,
  ) {}

  /** Returns a function that leaves again. */
  join(position: LogPosition, waiter: PromiseWithResolvers<Outcome>): () => void {
    const key = `${position.number} ${position.tag}`;
    const group = this.#groups.get(key) ?? { position, waiters: new Set(), failures: 0 };
    this.#groups.set(key, group);
    group.waiters.add(waiter);
    this.#schedule();
    return () => {
      group.waiters.delete(waiter);
      if (group.waiters.size === 0 && this.#groups.get(key) === group) this.#groups.delete(key);
    };
  }

  stop(): void {
    clearTimeout(this.#timer);
    for (const key of [...this.#groups.keys()]) {
      this.#settle(key, (waiter) => waiter.resolve("cancelled"));
    }
  }

  /** Polls do not overlap. */
  #schedule(): void {
    if (this.#isPolling || this.#timer !== undefined || this.#groups.size === 0) return;
    this.#timer = setTimeout(() => this.#poll(), this.pollMs);
    this.#timer.unref();
  }

  async #poll(): Promise<void> {
    this.#timer = undefined;
    this.#isPolling = true;
    for (const [key, group] of [...this.#groups]) await this.#readOn(key, group);
    this.#isPolling = false;
    this.#schedule();
  }

  async #readOn(key: string, group: Group): Promise<void> {
    const { position } = group;
    try {
      const batch = await this.read(position);
      group.failures = 0;
      const isNews = batch === "expired" || batch.end.number > position.number;
      if (isNews) this.#settle(key, (waiter) => waiter.resolve(batch));
    } catch (error) {
      group.failures += 1;
      if (group.failures < MAX_FAILURES) return;
      this.onFailure(error);
      this.#settle(key, (waiter) => waiter.reject(error));
    }
  }

  #settle(key: string, settle: (waiter: PromiseWithResolvers<Outcome>) => void): void {
    const group = this.#groups.get(key);
    this.#groups.delete(key);
    for (const waiter of group?.waiters ?? []) settle(waiter);
  }
}
