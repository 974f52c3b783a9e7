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

interface Waiter extends PromiseWithResolvers<Outcome> {
  position: LogPosition;
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
    const waiter = { ...Promise.withResolvers<Outcome>(), position: after, failures: 0 };
    const poll = this.#polled.get(shard) ?? this.#newPoll(shard);
    this.#polled.set(shard, poll);
    const cancel = () => poll.settle([waiter], "cancelled");
    if (this.#isStopping) cancel();
    else poll.join(waiter);
    return { outcome: waiter.promise, cancel };
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
  readonly #waiting = new Set<Waiter>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isPolling = false;

  constructor(
    private readonly read: (after: LogPosition) => Promise<ChangeBatch | "expired">,
    private readonly onFailure: (error: unknown) => void,
    private readonly pollMs: number,
  ) {}

  join(waiter: Waiter): void {
    this.#waiting.add(waiter);
    this.#schedule();
  }

  settle(waiters: Iterable<Waiter>, outcome: Outcome): void {
    for (const waiter of waiters) {
      this.#waiting.delete(waiter);
      waiter.resolve(outcome);
    }
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.settle(this.#waiting, "cancelled");
  }

  /** Polls do not overlap. */
  #schedule(): void {
    if (this.#isPolling || this.#timer !== undefined || this.#waiting.size === 0) return;
    this.#timer = setTimeout(() => this.#poll(), this.pollMs);
    this.#timer.unref();
  }

  async #poll(): Promise<void> {
    this.#timer = undefined;
    this.#isPolling = true;
    const groups = Map.groupBy(
      this.#waiting,
      ({ position: { number, tag } }) => `${number} ${tag}`,
    );
    for (const group of groups.values()) await this.#readOn(group);
    this.#isPolling = false;
    this.#schedule();
  }

  /** For all who wait at one position. */
  async #readOn(group: readonly Waiter[]): Promise<void> {
    const { position } = group[0]!;
    try {
      const batch = await this.read(position);
      for (const waiter of group) waiter.failures = 0;
      if (batch === "expired" || batch.end.number > position.number) this.settle(group, batch);
    } catch (error) {
      const told = group.filter((waiter) => ++waiter.failures >= MAX_FAILURES);
      if (told.length > 0) this.onFailure(error);
      for (const waiter of told) {
        this.#waiting.delete(waiter);
        waiter.reject(error);
      }
    }
  }
}
