/**
 * In charge of usage and budgets while a server runs: counted in memory, written down every two
 * seconds, so that a crash loses no more than that, and once more at the end.
 */

import type { Awaitable } from "../domain/awaitable.ts";
import type { Observe } from "../observe/events.ts";
import type { Book } from "./book.ts";
import { type Budgets, MemoryBudgets } from "./budget.ts";
import { dayOf } from "./day.ts";
import { AccessError } from "./error.ts";
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
  /** Whether the last writing down failed. */
  #isUnwritten = false;

  constructor(book: Book, now: () => number, observe: Observe) {
    this.#book = book;
    this.#budgets = new MemoryBudgets(book);
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

  /** The days of a key from `since` on, with what was counted a moment ago. May throw AccessError. */
  async daysOf(keyId: string, since: number): Promise<KeyDay[]> {
    await this.write();
    return reading(() => this.#book.read(since, keyId));
  }

  /** When each key was last used, a moment ago included. May throw AccessError. */
  async lastSeen(): Promise<Map<string, number>> {
    await this.write();
    return reading(() => this.#book.lastSeen());
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
      this.#failed(error);
      return;
    }
    if (await this.#prune()) this.#succeeded();
  }

  /** Once a day; says whether that is done. */
  async #prune(): Promise<boolean> {
    const today = dayOf(this.#now());
    if (today === this.#pruned) return true;
    try {
      await this.#book.prune(today);
      this.#pruned = today;
      return true;
    } catch (error) {
      this.#failed(error);
      return false;
    }
  }

  #failed(error: unknown): void {
    const event = this.#isUnwritten ? "usage-still-unwritten" : "usage-unwritten";
    this.#isUnwritten = true;
    this.#observe({ event, error });
  }

  #succeeded(): void {
    if (this.#isUnwritten) this.#observe({ event: "usage-written" });
    this.#isUnwritten = false;
  }
}

/** Each engine has errors of its own; here they all mean that the book cannot be used. */
async function reading<T>(read: () => Awaitable<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof AccessError) throw error;
    throw new AccessError(`usage cannot be read: ${(error as Error).message}`, { cause: error });
  }
}
