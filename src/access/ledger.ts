/**
 * In charge of usage and budgets while a server runs: counted in memory, written down every two
 * seconds, so that a crash loses no more than that, and once more at the end.
 */

import type { Observe } from "../observe/events.ts";
import { UsageBook } from "./book.ts";
import { type Budgets, MemoryBudgets } from "./budget.ts";
import { dayOf } from "./day.ts";
import { type KeyDay, UsageCounter } from "./usage.ts";

const WRITE_EVERY_MS = 2000;

export class Ledger {
  readonly #book: UsageBook;
  readonly #counter = new UsageCounter();
  readonly #budgets: MemoryBudgets;
  readonly #observe: Observe;
  readonly #now: () => number;
  #timer: ReturnType<typeof setInterval> | undefined;
  #pruned = -1;

  constructor(dataDir: string, now: () => number, observe: Observe) {
    this.#book = UsageBook.open(dataDir);
    this.#budgets = new MemoryBudgets(this.#book);
    this.#now = now;
    this.#observe = observe;
  }

  get budgets(): Budgets {
    return this.#budgets;
  }

  start(): void {
    this.#timer = setInterval(() => this.write(), WRITE_EVERY_MS);
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.write();
    this.#book.close();
  }

  note(keyId: string, status: number, records: number, nowMs: number): void {
    this.#counter.note(keyId, status, records, nowMs);
  }

  /** The days of a key from `since` on, with what was counted a moment ago. */
  daysOf(keyId: string, since: number): KeyDay[] {
    this.write();
    return this.#book.read(since, keyId);
  }

  /** When each key was last used, a moment ago included. */
  lastSeen(): Map<string, number> {
    this.write();
    return this.#book.lastSeen();
  }

  /** What cannot be written down is kept for the next time. */
  write(): void {
    const days = this.#counter.take();
    const budgets = this.#budgets.takeChanges();
    try {
      this.#book.write(days, budgets);
      this.#prune();
    } catch (error) {
      this.#counter.giveBack(days);
      this.#budgets.giveBack(budgets);
      this.#observe({ event: "usage-unwritten", error });
    }
  }

  /** Once a day. */
  #prune(): void {
    const today = dayOf(this.#now());
    if (today === this.#pruned) return;
    this.#book.prune(today);
    this.#pruned = today;
  }
}
