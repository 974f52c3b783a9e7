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
  #sql: SQL;
  #answeredAt = performance.now();
  /** Answers that were given up and have not come since. */
  #overdue = 0;

  constructor(
    private readonly url: string,
    private readonly options: { size: number; prepares: boolean; settings: Record<string, string> },
  ) {
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
    return within(milliseconds, answer, () => {
      isLate = true;
      this.#miss(milliseconds);
      return new NoAnswer(milliseconds);
    });
  }

  /** A connection of one's own. It must be given back, by `release` or by `close`. */
  hold(milliseconds: number): Promise<ReservedSQL> {
    const held = this.#sql.reserve();
    return within(milliseconds, held, () => {
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

  #open(): SQL {
    const { size, prepares, settings } = this.options;
    return new SQL(this.url, {
      max: size,
      prepare: prepares,
      connectionTimeout: CONNECT_SECONDS,
      idleTimeout: IDLE_SECONDS,
      connection: settings,
    });
  }

  /** Poolers refuse what they do not know. */
  #doWithoutSettings(): void {
    if (Object.keys(this.options.settings).length === 0) return;
    this.options.settings = {};
    this.renew();
  }

  /**
   * One slow answer says nothing. But when none has come at all, or many are missing, new connections
   * may do better.
   */
  #miss(milliseconds: number): void {
    this.#overdue += 1;
    const isSilent = performance.now() - this.#answeredAt >= milliseconds;
    if (isSilent || 2 * this.#overdue >= this.options.size) this.renew();
  }
}

/** The result of `answer`, or the error that `onLate` returns if it takes longer. */
async function within<T>(
  milliseconds: number,
  answer: Promise<T>,
  onLate: () => Error,
): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(onLate()), milliseconds).unref();
  try {
    return await Promise.race([answer, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
