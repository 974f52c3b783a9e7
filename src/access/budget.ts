/**
 * In charge of the scraping budget: how many different match records each key has been served on
 * this UTC day. The request that would go beyond the budget is refused, and with it every further
 * one of that day: a sketch cannot tell a record it has seen from one it has not.
 */

import type { Awaitable } from "../domain/awaitable.ts";
import { dayOf } from "./day.ts";
import type { Hash } from "./distinct.ts";
import { DistinctCounter } from "./distinct.ts";

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

interface Day {
  day: number;
  counter: DistinctCounter;
  /** The budget that was found spent, if one was: it never gets lower. */
  exceeded: number | null;
  /** Whether it is joined with what others have counted the next time that is written down. */
  isDirty: boolean;
  /** Until what was kept before has come. Requests do not wait for it: the database may be away. */
  coming: Promise<void> | undefined;
}

/** Budgets whose counters are in memory. Those of yesterday are forgotten. */
export class MemoryBudgets implements Budgets {
  readonly #days = new Map<string, Day>();
  readonly #shelf: BudgetShelf;
  #today = -1;

  constructor(shelf: BudgetShelf) {
    this.#shelf = shelf;
  }

  isSpent(keyId: string, most: number, nowMs: number): boolean {
    return isExceeded(this.#dayOf(keyId, nowMs).exceeded, most);
  }

  spend(keyId: string, records: readonly Hash[], most: number, nowMs: number): boolean {
    const day = this.#dayOf(keyId, nowMs);
    const allowed = day.counter.addWithin(records, most);
    if (!allowed) day.exceeded = higher(day.exceeded, most);
    day.isDirty = true;
    return allowed;
  }

  async count(keyId: string, nowMs: number): Promise<number> {
    const day = this.#dayOf(keyId, nowMs);
    await day.coming;
    day.isDirty = true;
    return day.counter.count;
  }

  /** What changed since it was last taken. */
  takeChanges(): KeptBudget[] {
    const changes: KeptBudget[] = [];
    for (const [keyId, one] of this.#days) {
      if (!one.isDirty) continue;
      one.isDirty = false;
      const { day, counter, exceeded } = one;
      changes.push({ keyId, day, counter: counter.toBytes(), exceeded });
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
      if (known?.day === day) absorb(known, count);
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
      counter: new DistinctCounter(),
      exceeded: null,
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
      if (kept) absorb(day, kept);
      return;
    }
    // If it does not come now, it does when the day is written down next.
    day.coming = kept.then(
      (count) => {
        day.coming = undefined;
        if (count) absorb(day, count);
      },
      () => {
        day.coming = undefined;
      },
    );
  }
}

function absorb(day: Day, { counter, exceeded }: KeptCount): void {
  const more = DistinctCounter.fromBytes(counter);
  if (more) day.counter.absorb(more);
  day.exceeded = higher(day.exceeded, exceeded);
}

/** How many more matches the key may read today; null: any number. The first refusal holds for the day. */
export function matchesLeft(most: number, matches: number, isSpent: boolean): number | null {
  if (most === 0) return null;
  return isSpent ? 0 : Math.max(0, most - matches);
}

/** Whether a budget was refused before. A higher one opens the day again. */
export const isExceeded = (exceeded: number | null, most: number): boolean =>
  exceeded !== null && most <= exceeded;
