/**
 * In charge of usage and budgets while a server runs: counted in memory, written down every two
 * seconds, so that a crash loses no more than that, and once more at the end.
 */

import type { Observe } from "../observe/events.ts";
import type { Book } from "./book.ts";
import { type Budgets, MemoryBudgets, type OpenCounter } from "./budget.ts";
import { dayOf } from "./day.ts";
import { type KeyDay, UsageCounter } from "./usage.ts";

const WRITE_EVERY_MS = 2000;

export class Ledger {
  readonly #book: Book;
  readonly #counter = new UsageCounter();
  readonly #budgets: MemoryBudgets;
  readonly #observe: Observe;
  readonly #now: () => number;
  #timer: ReturnType<typeof setInterval> | undefined;
  /** The last writing down that was asked for; undefined when it is over. */
  #writing: Promise<void> | undefined;
  #pruned = -1;

  /** `openCounter` is for budgets that several processes count together. */
  constructor(book: Book, now: () => number, observe: Observe, openCounter?: OpenCounter) {
    this.#book = book;
    this.#budgets = new MemoryBudgets(book, openCounter);
    this.#now = now;
    this.#observe = observe;
  }

  get budgets(): Budgets {
    return this.#budgets;
  }

  start(): void {
    this.#timer = setInterval(() => {
      // A database that takes long is not asked for more meanwhile.
      if (!this.#writing) void this.write();
    }, WRITE_EVERY_MS);
    this.#timer.unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.write();
    await this.#book.close();
  }

  note(keyId: string, status: number, records: number, nowMs: number): void {
    this.#counter.note(keyId, status, records, nowMs);
  }

  /** The days of a key from `since` on, with what was counted a moment ago. */
  async daysOf(keyId: string, since: number): Promise<KeyDay[]> {
    await this.write();
    return this.#book.read(since, keyId);
  }

  /** When each key was last used, a moment ago included. */
  async lastSeen(): Promise<Map<string, number>> {
    await this.write();
    return this.#book.lastSeen();
  }

  /** One after another. What cannot be written down is kept for the next time. */
  write(): Promise<void> {
    const writing = (this.#writing ?? Promise.resolve()).then(() => this.#write());
    this.#writing = writing;
    return writing.finally(() => {
      if (this.#writing === writing) this.#writing = undefined;
    });
  }

  async #write(): Promise<void> {
    const days = this.#counter.take();
    const budgets = this.#budgets.takeChanges();
    try {
      this.#budgets.absorb(await this.#book.write(days, budgets));
    } catch (error) {
      this.#counter.giveBack(days);
      this.#budgets.giveBack(budgets);
      this.#observe({ event: "usage-unwritten", error });
      return;
    }
    await this.#prune();
  }

  /** Once a day. */
  async #prune(): Promise<void> {
    const today = dayOf(this.#now());
    if (today === this.#pruned) return;
    try {
      await this.#book.prune(today);
      this.#pruned = today;
    } catch (error) {
      this.#observe({ event: "usage-unwritten", error });
    }
  }
}
