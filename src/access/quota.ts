/**
 * Counts the daily match quota: how many different match records each key has been served on a UTC day.
 * The request that would exceed the quota is refused, and with it every further one of that day: a
 * sketch cannot tell a record it has seen from one it has not.
 */

import type { Awaitable } from "../domain/awaitable.ts";
import { DistinctCounter, type Hash } from "./distinct-count.ts";
import { dayOf } from "./usage.ts";

/** Where the counters are may be elsewhere, shared by several instances: callers await. */
export interface Quotas {
  /** Whether the key was refused before on this day, and so is again. `nowMs` is the time of day. */
  isExceeded(keyId: string, most: number, nowMs: number): Awaitable<boolean>;
  /** Counts records that are about to be served; false: they must not be. */
  consume(keyId: string, records: readonly Hash[], most: number, nowMs: number): Awaitable<boolean>;
  /** Different records so far, today. */
  count(keyId: string, nowMs: number): Awaitable<number>;
}

/** A key's day as it is stored. */
export interface StoredQuota {
  keyId: string;
  day: number;
  counter: Uint8Array;
  /** The quota that was exceeded, if one was: a higher one opens the day again. */
  exceeded: number | null;
}

/** One day as two processes have counted it. A counter that cannot be read counts nothing. */
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
  /** The quota that was exceeded, if one was: it never gets lower. */
  exceeded: number | null;
  /** Whether it is to be written. */
  isChanged: boolean;
}

/**
 * Quotas in the memory of this process. Each day has counters of its own: a request that began before
 * midnight counts on the day on which it began, and changes nothing about the next.
 */
export class MemoryQuotas implements Quotas {
  /** By day and key. */
  readonly #quotas = new Map<string, KeyQuota>();
  readonly #load: (keyId: string, day: number) => Awaitable<void>;

  /** `load` reads what other processes have counted, before a count is returned. */
  constructor(load: (keyId: string, day: number) => Awaitable<void> = () => {}) {
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

  /** At most so many of those that changed since they were last taken. */
  takeChanges(most: number): StoredQuota[] {
    const changed = [...this.#quotas.values()].filter(({ isChanged }) => isChanged).slice(0, most);
    return changed.map((quota) => {
      quota.isChanged = false;
      const { keyId, day, counter, exceeded } = quota;
      return { keyId, day, counter: counter.toBytes(), exceeded };
    });
  }

  /** What could not be written, and so is to be taken again. */
  giveBack(changes: readonly StoredQuota[]): void {
    for (const { keyId, day } of changes) this.#quotaOf(keyId, day).isChanged = true;
  }

  /** Adds what other processes have counted. */
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
    const known = this.#quotas.get(`${day} ${keyId}`);
    if (known) return known;
    const counter = new DistinctCounter();
    const quota = { keyId, day, counter, exceeded: null, isChanged: false };
    this.#quotas.set(`${day} ${keyId}`, quota);
    return quota;
  }
}

/** How many more matches the key may read today; null: any number. The first refusal holds for the day. */
export function matchesLeft(most: number, matches: number, isExceeded: boolean): number | null {
  if (most === 0) return null;
  return isExceeded ? 0 : Math.max(0, most - matches);
}

/** Whether a quota was exceeded before. A higher one opens the day again. */
export const isExceeded = (exceeded: number | null, most: number): boolean =>
  exceeded !== null && most <= exceeded;
