/**
 * The connections to one server: timeouts, and new connections in place of dead ones. (A server may vanish without
 * closing its connections; they would never return anything.)
 */

import type { ReservedSQL, SQL } from "bun";
import { isSettingRefused, NoResponse } from "./errors.ts";

/** Connection timeout. */
const CONNECT_SECONDS = 3;
const IDLE_SECONDS = 60;
/** How long pending statements may take when connections are closed. */
const CLOSE_SECONDS = 5;

/** Runs statements. */
export type Driver = Pick<SQL, "unsafe">;

export class Pool {
  #sql: SQL;
  #respondedAt = performance.now();
  /** Responses that timed out and have not arrived since. */
  #overdue = 0;

  constructor(
    private readonly url: string,
    private readonly options: { size: number; prepares: boolean; settings: Record<string, string> },
  ) {
    this.#sql = this.#open();
  }

  /** Runs a statement on any connection. */
  query(text: string, values: readonly unknown[], milliseconds: number): Promise<unknown> {
    return this.queryOn(this.#sql, text, values, milliseconds);
  }

  /** Runs a statement on a reserved connection. */
  queryOn(
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
    const response = driver.unsafe(text, values as unknown[]).then(
      (result) => {
        this.#respondedAt = performance.now();
        if (isLate) settle();
        return result;
      },
      (error) => {
        if (isLate) settle();
        if (isSettingRefused(error)) this.#doWithoutSettings();
        throw error;
      },
    );
    return within(milliseconds, response, () => {
      isLate = true;
      this.#miss(milliseconds);
      return new NoResponse(milliseconds);
    });
  }

  /** Reserves a connection. The caller must `release` or `close` it. */
  reserve(milliseconds: number): Promise<ReservedSQL> {
    const reserved = this.#sql.reserve();
    return within(milliseconds, reserved, () => {
      reserved.then((late) => late.release()).catch(() => {});
      return new NoResponse(milliseconds);
    });
  }

  /** Opens new connections, and closes the old ones once their statements have finished. */
  renew(): void {
    const old = this.#sql;
    this.#sql = this.#open();
    this.#overdue = 0;
    this.#respondedAt = performance.now();
    old.close({ timeout: CLOSE_SECONDS }).catch(() => {});
  }

  close(): Promise<void> {
    return this.#sql.close({ timeout: CLOSE_SECONDS });
  }

  #open(): SQL {
    const { size, prepares, settings } = this.options;
    return new Bun.SQL(this.url, {
      max: size,
      prepare: prepares,
      connectionTimeout: CONNECT_SECONDS,
      idleTimeout: IDLE_SECONDS,
      connection: settings,
    });
  }

  /** Poolers reject settings that they do not know. */
  #doWithoutSettings(): void {
    if (Object.keys(this.options.settings).length === 0) return;
    this.options.settings = {};
    this.renew();
  }

  /**
   * One slow response means nothing. But if none has arrived at all, or many are missing, new connections may
   * help.
   */
  #miss(milliseconds: number): void {
    this.#overdue += 1;
    const isSilent = performance.now() - this.#respondedAt >= milliseconds;
    if (isSilent || 2 * this.#overdue >= this.options.size) this.renew();
  }
}

/** The result of `response`, or the error that `onLate` returns if it takes longer. */
async function within<T>(
  milliseconds: number,
  response: Promise<T>,
  onLate: () => Error,
): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(onLate()), milliseconds).unref();
  try {
    return await Promise.race([response, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
