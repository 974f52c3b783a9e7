/**
 * In charge of the scraping budget: how many different match records each key has been served on
 * this UTC day. The request that would go beyond the budget is refused, and with it every further
 * one of that day: a sketch cannot tell a record it has seen from one it has not.
 */

import type { Awaitable } from "../domain/awaitable.ts";
import { dayOf } from "./day.ts";
import { DistinctCounter } from "./distinct.ts";
import type { Hash } from "./sketch.ts";

/** Where the counters are kept may be elsewhere, shared by several instances: callers await. */
export interface Budgets {
  /** Whether the key was refused before on this day, and so is again. `nowMs` is the time of day. */
  isSpent(keyId: string, most: number, nowMs: number): Awaitable<boolean>;
  /** Counts records that are about to be served; false: they must not be. */
  spend(keyId: string, records: readonly Hash[], most: number, nowMs: number): Awaitable<boolean>;
  /** Different records so far, today. */
  count(keyId: string, nowMs: number): Awaitable<number>;
}

/** A key's day as it is kept from one process to the next. */
export interface KeptBudget {
  keyId: string;
  day: number;
  counter: Uint8Array;
  /** The budget that was found spent, if one was: a higher one opens the day again. */
  exceeded: number | null;
}

export type KeptCount = Pick<KeptBudget, "counter" | "exceeded">;

/** Where a day's counters outlast the process. */
export interface BudgetShelf {
  budget(keyId: string, day: number): Awaitable<KeptCount | undefined>;
}

/** One day as two processes have counted it. A counter that cannot be read counts nothing. */
export function joined(one: KeptCount, other: KeptCount): KeptCount {
  const counter = DistinctCounter.fromBytes(one.counter) ?? new DistinctCounter();
  const more = DistinctCounter.fromBytes(other.counter);
  if (more) counter.absorb(more);
  return { counter: counter.toBytes(), exceeded: higher(one.exceeded, other.exceeded) };
}

const higher = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? (one ?? other) : Math.max(one, other);

/** What is counted for one key on one day, wherever that is. */
export interface DayCounter {
  readonly count: number;
  /** The budget that was found spent, if one was: it never gets lower. */
  exceeded: number | null;
  /** Adds all of these, unless there would then be more than `most`; says whether it did. */
  addWithin(records: readonly Hash[], most: number): boolean;
  /** Counts what was kept too, whatever the budget. */
  absorb(kept: KeptCount): void;
  toBytes(): Uint8Array;
}

/** Opens the counter of a key and a day, which may have counted already. */
export type OpenCounter = (keyId: string, day: number) => DayCounter;

interface Day {
  day: number;
  counter: DayCounter;
  isDirty: boolean;
  /** Until what was kept before has come. Requests do not wait for it: the database may be away. */
  coming: Promise<void> | undefined;
}

/** Budgets whose counters are in memory. Those of yesterday are forgotten. */
export class MemoryBudgets implements Budgets {
  readonly #days = new Map<string, Day>();
  readonly #shelf: BudgetShelf;
  readonly #open: OpenCounter;
  #today = -1;

  /** The counters are this process's own, unless `open` has others. */
  constructor(shelf: BudgetShelf, open: OpenCounter = () => new OwnCounter()) {
    this.#shelf = shelf;
    this.#open = open;
  }

  isSpent(keyId: string, most: number, nowMs: number): boolean {
    const { exceeded } = this.#dayOf(keyId, nowMs).counter;
    return isExceeded(exceeded, most);
  }

  spend(keyId: string, records: readonly Hash[], most: number, nowMs: number): boolean {
    const day = this.#dayOf(keyId, nowMs);
    const allowed = day.counter.addWithin(records, most);
    if (!allowed) day.counter.exceeded = most;
    day.isDirty = true;
    return allowed;
  }

  async count(keyId: string, nowMs: number): Promise<number> {
    const day = this.#dayOf(keyId, nowMs);
    await day.coming;
    return day.counter.count;
  }

  /** What changed since it was last taken. */
  takeChanges(): KeptBudget[] {
    const changes: KeptBudget[] = [];
    for (const [keyId, one] of this.#days) {
      if (!one.isDirty) continue;
      one.isDirty = false;
      const { day, counter } = one;
      changes.push({ keyId, day, counter: counter.toBytes(), exceeded: counter.exceeded });
    }
    return changes;
  }

  /** What could not be written down, and so is to be taken again. */
  giveBack(changes: readonly KeptBudget[]): void {
    for (const { keyId, day } of changes) {
      const known = this.#days.get(keyId);
      if (known?.day === day) known.isDirty = true;
    }
  }

  /** Takes over what other processes have counted of the same days. */
  absorb(kept: readonly KeptBudget[]): void {
    for (const { keyId, day, ...count } of kept) {
      const known = this.#days.get(keyId);
      if (known?.day === day) known.counter.absorb(count);
    }
  }

  #dayOf(keyId: string, nowMs: number): Day {
    const today = dayOf(nowMs);
    if (today !== this.#today) {
      this.#days.clear();
      this.#today = today;
    }
    const known = this.#days.get(keyId);
    if (known) return known;
    const day: Day = {
      day: today,
      counter: this.#open(keyId, today),
      isDirty: false,
      coming: undefined,
    };
    this.#days.set(keyId, day);
    this.#recall(keyId, day);
    return day;
  }

  #recall(keyId: string, day: Day): void {
    const kept = this.#shelf.budget(keyId, day.day);
    if (!(kept instanceof Promise)) {
      if (kept) day.counter.absorb(kept);
      return;
    }
    // If it does not come now, it does when the day is written down next.
    day.coming = kept.then(
      (count) => {
        day.coming = undefined;
        if (count) day.counter.absorb(count);
      },
      () => {
        day.coming = undefined;
      },
    );
  }
}

/** A counter in the memory of this process alone. */
export class OwnCounter implements DayCounter {
  readonly #distinct = new DistinctCounter();
  #exceeded: number | null = null;

  get count(): number {
    return this.#distinct.count;
  }

  get exceeded(): number | null {
    return this.#exceeded;
  }

  set exceeded(most: number | null) {
    this.#exceeded = higher(this.#exceeded, most);
  }

  addWithin(records: readonly Hash[], most: number): boolean {
    return this.#distinct.addWithin(records, most);
  }

  absorb({ counter, exceeded }: KeptCount): void {
    const more = DistinctCounter.fromBytes(counter);
    if (more) this.#distinct.absorb(more);
    this.exceeded = exceeded;
  }

  toBytes(): Uint8Array {
    return this.#distinct.toBytes();
  }
}

/** How many more matches the key may read today; null: any number. The first refusal holds for the day. */
export function matchesLeft(most: number, matches: number, isSpent: boolean): number | null {
  if (most === 0) return null;
  return isSpent ? 0 : Math.max(0, most - matches);
}

/** Whether a budget was refused before. A higher one opens the day again. */
export const isExceeded = (exceeded: number | null, most: number): boolean =>
  exceeded !== null && most <= exceeded;
