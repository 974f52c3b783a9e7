/**
 * The connections to one server: time-outs, and new connections in place of those that lead nowhere.
 * (A server may vanish without closing any; nothing would ever come back on them.)
 */

import { type ReservedSQL, SQL } from "bun";
import { isSettingRefused, NoAnswer } from "./errors.ts";

/** How long a connection may take to come about, in seconds. */
const CONNECT_SECONDS = 3;
const IDLE_SECONDS = 60;
/** How long the answers that are still due may take when connections are closed, in seconds. */
const CLOSE_SECONDS = 5;

/** What statements are run on. */
export type Driver = Pick<SQL, "unsafe">;

export class Pool {
  readonly #open: () => SQL;
  /** What connections ask the server for when they come about. */
  #settings: Record<string, string>;
  readonly #size: number;
  readonly #deadlines = new Deadlines();
  #sql: SQL;
  #answeredAt = performance.now();
  /** Answers that were given up and have not come since. */
  #overdue = 0;

  constructor(
    url: string,
    options: { size: number; prepares: boolean; settings: Record<string, string> },
  ) {
    this.#size = options.size;
    this.#settings = options.settings;
    this.#open = () =>
      new SQL(url, {
        max: options.size,
        prepare: options.prepares,
        connectionTimeout: CONNECT_SECONDS,
        idleTimeout: IDLE_SECONDS,
        connection: this.#settings,
      });
    this.#sql = this.#open();
  }

  /** Runs a statement on any connection. */
  ask(text: string, values: readonly unknown[], milliseconds: number): Promise<unknown> {
    return this.askOn(this.#sql, text, values, milliseconds);
  }

  /** Runs a statement on a connection that is held. */
  askOn(
    driver: Driver,
    text: string,
    values: readonly unknown[],
    milliseconds: number,
  ): Promise<unknown> {
    const pool = this.#sql;
    let isLate = false;
    const settle = () => {
      if (pool === this.#sql) this.#overdue -= 1;
    };
    const answer = driver.unsafe(text, values as unknown[]).then(
      (result) => {
        this.#answeredAt = performance.now();
        if (isLate) settle();
        return result;
      },
      (error) => {
        if (isLate) settle();
        if (isSettingRefused(error)) this.#doWithoutSettings();
        throw error;
      },
    );
    return this.#deadlines.within(milliseconds, answer, () => {
      isLate = true;
      this.#miss(milliseconds);
      return new NoAnswer(milliseconds);
    });
  }

  /** A connection of one's own. It must be given back, by `release` or by `close`. */
  hold(milliseconds: number): Promise<ReservedSQL> {
    const held = this.#sql.reserve();
    return this.#deadlines.within(milliseconds, held, () => {
      held.then((late) => late.release()).catch(() => {});
      return new NoAnswer(milliseconds);
    });
  }

  /** Lets go of all connections, once what is under way on them is over, for new ones. */
  renew(): void {
    const old = this.#sql;
    this.#sql = this.#open();
    this.#overdue = 0;
    this.#answeredAt = performance.now();
    old.close({ timeout: CLOSE_SECONDS }).catch(() => {});
  }

  close(): Promise<void> {
    return this.#sql.close({ timeout: CLOSE_SECONDS });
  }

  /** Poolers refuse what they do not know. */
  #doWithoutSettings(): void {
    if (Object.keys(this.#settings).length === 0) return;
    this.#settings = {};
    this.renew();
  }

  /**
   * One slow answer says nothing. But when none has come at all, or many are missing, new connections
   * may do better.
   */
  #miss(milliseconds: number): void {
    this.#overdue += 1;
    const isSilent = performance.now() - this.#answeredAt >= milliseconds;
    if (isSilent || 2 * this.#overdue >= this.#size) this.renew();
  }
}

/** How exactly. A timer of its own for every answer would cost more than some answers do. */
const STEP_MS = 250;

interface Wait {
  until: number;
  giveUp(): void;
}

/** Gives up on answers that take too long: one timer for all that is waited for. */
class Deadlines {
  readonly #waits = new Set<Wait>();
  #clock: ReturnType<typeof setInterval> | undefined;

  /** What `answer` becomes, or the failure that `onLate` says, if that takes longer. */
  within<T>(milliseconds: number, answer: Promise<T>, onLate: () => Error): Promise<T> {
    return new Promise((resolve, reject) => {
      const wait: Wait = {
        until: performance.now() + milliseconds,
        giveUp: () => reject(onLate()),
      };
      this.#waits.add(wait);
      this.#clock ??= this.#start();
      answer.then(
        (value) => {
          this.#waits.delete(wait);
          resolve(value);
        },
        (error) => {
          this.#waits.delete(wait);
          reject(error);
        },
      );
    });
  }

  #start() {
    const clock = setInterval(() => this.#look(), STEP_MS);
    clock.unref();
    return clock;
  }

  #look(): void {
    if (this.#waits.size === 0) {
      clearInterval(this.#clock);
      this.#clock = undefined;
      return;
    }
    const now = performance.now();
    for (const wait of this.#waits) {
      if (wait.until > now) continue;
      this.#waits.delete(wait);
      wait.giveUp();
    }
  }
}
