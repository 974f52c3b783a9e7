/**
 * Enforces the daily match quota: how many distinct matches each key may read per UTC day. A
 * request that would exceed it is refused, and so are all later ones of that day, because a sketch
 * cannot tell new records from old ones.
 */

import type { Awaitable } from "../domain/awaitable.ts";
import { DistinctCounter, type Hash } from "./distinct-count.ts";
import { dayOf } from "./usage.ts";

/** The counters may be remote, so callers await. */
export interface Quotas {
  /** Whether the key exceeded its quota earlier on this day. */
  isExceeded(keyId: string, most: number, nowMs: number): Awaitable<boolean>;
  /** Counts records before they are served. False: they exceed the quota. */
  consume(keyId: string, records: readonly Hash[], most: number, nowMs: number): Awaitable<boolean>;
  /** Distinct records today. */
  count(keyId: string, nowMs: number): Awaitable<number>;
}

export interface StoredQuota {
  keyId: string;
  day: number;
  counter: Uint8Array;
  /** The quota that was exceeded, if any. A higher quota lets the key continue. */
  exceeded: number | null;
}

/** Merges the counts of two processes. A damaged counter counts as empty. */
export function joined(one: StoredQuota, other: StoredQuota): StoredQuota {
  const counter = DistinctCounter.fromBytes(one.counter) ?? new DistinctCounter();
  const more = DistinctCounter.fromBytes(other.counter);
  if (more) counter.absorb(more);
  return { ...one, counter: counter.toBytes(), exceeded: higher(one.exceeded, other.exceeded) };
}

const higher = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? (one ?? other) : Math.max(one, other);

interface KeyQuota {
  keyId: string;
  day: number;
  counter: DistinctCounter;
  /** The highest quota that was exceeded, if any. */
  exceeded: number | null;
  /** Whether it must be written. */
  isChanged: boolean;
}

/**
 * Quotas in this process. Each day has its own counters: a request that began before midnight
 * counts for the day on which it began.
 */
export class MemoryQuotas implements Quotas {
  /** By day and key. */
  readonly #quotas = new Map<string, KeyQuota>();
  readonly #load: (keyId: string, day: number) => Awaitable<void>;

  /**
   * `load` fetches the counts of other processes before a count is returned. Beyond `size` counters, the least recently
   * used ones are dropped.
   */
  constructor(
    load: (keyId: string, day: number) => Awaitable<void> = () => {},
    private readonly size = Number.POSITIVE_INFINITY,
  ) {
    this.#load = load;
  }

  isExceeded(keyId: string, most: number, nowMs: number): boolean {
    const quota = this.#quotas.get(`${dayOf(nowMs)} ${keyId}`);
    return quota !== undefined && isExceeded(quota.exceeded, most);
  }

  consume(keyId: string, records: readonly Hash[], most: number, nowMs: number): boolean {
    const quota = this.#quotaOf(keyId, dayOf(nowMs));
    const isAllowed = quota.counter.addWithin(records, most);
    if (!isAllowed) quota.exceeded = higher(quota.exceeded, most);
    quota.isChanged = true;
    return isAllowed;
  }

  async count(keyId: string, nowMs: number): Promise<number> {
    const day = dayOf(nowMs);
    await this.#load(keyId, day);
    return this.#quotas.get(`${day} ${keyId}`)?.counter.count ?? 0;
  }

  /** Quotas that changed since the last call. */
  takeChanges(most: number): StoredQuota[] {
    const changed = [...this.#quotas.values()].filter(({ isChanged }) => isChanged).slice(0, most);
    return changed.map((quota) => {
      quota.isChanged = false;
      const { keyId, day, counter, exceeded } = quota;
      return { keyId, day, counter: counter.toBytes(), exceeded };
    });
  }

  /** Marks changes that could not be written. */
  giveBack(changes: readonly StoredQuota[]): void {
    for (const { keyId, day } of changes) this.#quotaOf(keyId, day).isChanged = true;
  }

  /** Merges the counts of other processes. */
  absorb(stored: readonly StoredQuota[]): void {
    for (const { keyId, day, counter, exceeded } of stored) {
      const quota = this.#quotaOf(keyId, day);
      const more = DistinctCounter.fromBytes(counter);
      if (more) quota.counter.absorb(more);
      quota.exceeded = higher(quota.exceeded, exceeded);
    }
  }

  forgetBefore(day: number): void {
    for (const [name, quota] of this.#quotas) if (quota.day < day) this.#quotas.delete(name);
  }

  #quotaOf(keyId: string, day: number): KeyQuota {
    const name = `${day} ${keyId}`;
    const known = this.#quotas.get(name);
    if (known && this.#quotas.size < this.size / 2) return known;
    const quota = known ?? newQuota(keyId, day);
    // The order of a map is that of insertion.
    if (known) this.#quotas.delete(name);
    else if (this.#quotas.size >= this.size) this.#quotas.delete(this.#quotas.keys().next().value!);
    this.#quotas.set(name, quota);
    return quota;
  }
}

const newQuota = (keyId: string, day: number): KeyQuota => ({
  keyId,
  day,
  counter: new DistinctCounter(),
  exceeded: null,
  isChanged: false,
});

/**
 * How many more matches the key may read today; null: unlimited. Once exceeded, 0 for the rest of
 * the day.
 */
export function matchesLeft(most: number, matches: number, isExceeded: boolean): number | null {
  if (most === 0) return null;
  return isExceeded ? 0 : Math.max(0, most - matches);
}

/** A higher quota lets the key continue. */
export const isExceeded = (exceeded: number | null, most: number): boolean =>
  exceeded !== null && most <= exceeded;
