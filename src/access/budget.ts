/**
 * In charge of the scraping budget: how many different match records each key has been served on
 * this UTC day. The request that would go beyond the budget is refused, and with it every further
 * one of that day: a sketch cannot tell a record it has seen from one it has not.
 */

import { dayOf } from "./day.ts";
import { DistinctCounter } from "./distinct.ts";
import type { Hash } from "./sketch.ts";

/** Where the counters are kept may be elsewhere, shared by several instances: callers await. */
export interface Budgets {
  /** Whether the key was refused before on this day, and so is again. `nowMs` is the time of day. */
  isSpent(keyId: string, most: number, nowMs: number): boolean | Promise<boolean>;
  /** Counts records that are about to be served; false: they must not be. */
  spend(
    keyId: string,
    records: readonly Hash[],
    most: number,
    nowMs: number,
  ): boolean | Promise<boolean>;
  /** Different records so far, today. */
  count(keyId: string, nowMs: number): number | Promise<number>;
}

/** A key's day as it is kept from one process to the next. */
export interface KeptBudget {
  keyId: string;
  day: number;
  counter: Uint8Array;
  /** The budget that was found spent, if one was: a higher one opens the day again. */
  exceeded: number | null;
}

/** Where a day's counters outlast the process. */
export interface BudgetShelf {
  budget(keyId: string, day: number): Pick<KeptBudget, "counter" | "exceeded"> | undefined;
}

interface Day {
  day: number;
  counter: DistinctCounter;
  exceeded: number | null;
  isDirty: boolean;
}

/** The counters of one process. Those of yesterday are forgotten. */
export class MemoryBudgets implements Budgets {
  readonly #days = new Map<string, Day>();
  readonly #shelf: BudgetShelf;
  #today = -1;

  constructor(shelf: BudgetShelf) {
    this.#shelf = shelf;
  }

  isSpent(keyId: string, most: number, nowMs: number): boolean {
    const { exceeded } = this.#dayOf(keyId, nowMs);
    return exceeded !== null && most <= exceeded;
  }

  spend(keyId: string, records: readonly Hash[], most: number, nowMs: number): boolean {
    const day = this.#dayOf(keyId, nowMs);
    const allowed = day.counter.addWithin(records, most);
    if (!allowed) day.exceeded = most;
    day.isDirty = true;
    return allowed;
  }

  count(keyId: string, nowMs: number): number {
    return this.#dayOf(keyId, nowMs).counter.count;
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

  #dayOf(keyId: string, nowMs: number): Day {
    const today = dayOf(nowMs);
    if (today !== this.#today) {
      this.#days.clear();
      this.#today = today;
    }
    const known = this.#days.get(keyId);
    if (known) return known;
    const kept = this.#shelf.budget(keyId, today);
    const day: Day = {
      day: today,
      counter: (kept && DistinctCounter.fromBytes(kept.counter)) ?? new DistinctCounter(),
      exceeded: kept?.exceeded ?? null,
      isDirty: false,
    };
    this.#days.set(keyId, day);
    return day;
  }
}
