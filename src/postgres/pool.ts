/**
 * The connections of a process to one database. They are opened when a statement needs one and closed when idle. They
 * have timeouts, and new ones replace dead ones. (A server may vanish without closing its connections; they would
 * never return anything.)
 */

import type { SQL } from "bun";
import { isFull, isReadOnly, isSettingRefused, NoResponse } from "./errors.ts";

/** Connection timeout. */
const CONNECT_SECONDS = 3;
const IDLE_SECONDS = 60;
/** How long pending statements may take when connections are closed. */
const CLOSE_SECONDS = 5;
/** How long no connection is opened after the server has refused one because it has too many. */
const FULL_MS = 1000;

export interface PoolOptions {
  /** The most connections. Transactions leave one of several to single statements. */
  size: number;
  prepares: boolean;
  /** Applied by the server to every connection. */
  settings: Record<string, string>;
  idleSeconds?: number;
}

/** A connection for one transaction. It must be released or discarded. */
export interface Reservation {
  query(text: string, values: readonly unknown[], milliseconds: number): Promise<unknown>;
  release(): void;
  /** Closes the connection, which may be in any state. */
  discard(): void;
}

/** A connection that the driver opens for its first statement, and again after it was closed. */
interface Link {
  sql: SQL;
  isOpen: boolean;
  /** Statements without a response yet, which the server runs one after the other. */
  running: number;
  /** One, and those that wait for it because the server allows no more connections. */
  reservations: number;
}

/** A driver's pool would open all of its connections at once, so each has a driver's pool of one. */
export class Pool {
  static readonly #shared = new Map<string, Pool>();

  readonly #links: Link[] = [];
  /** Transactions that wait for one of the others to end. */
  readonly #waiting: (() => void)[] = [];
  #users = 1;
  #respondedAt = performance.now();
  #fullUntil = 0;

  constructor(
    private readonly url: string,
    private readonly options: PoolOptions,
    private readonly onClose: () => void = () => {},
  ) {}

  /** One pool for all users of this process with the same URL and options; open until the last of them closes it. */
  static shared(url: string, options: PoolOptions): Pool {
    const key = JSON.stringify([url, options]);
    const known = Pool.#shared.get(key);
    if (known) {
      known.#users += 1;
      return known;
    }
    const pool = new Pool(url, { ...options }, () => Pool.#shared.delete(key));
    Pool.#shared.set(key, pool);
    return pool;
  }

  /** Runs a statement on any connection. */
  async query(text: string, values: readonly unknown[], milliseconds: number): Promise<unknown> {
    const link = this.#pick();
    try {
      return await this.#run(link, link.sql, text, values, milliseconds);
    } catch (error) {
      if (!this.#isOthersTurn(error, link)) throw error;
      return this.query(text, values, milliseconds);
    }
  }

  reserve(milliseconds: number): Promise<Reservation> {
    const reservation = this.#reserve();
    return within(milliseconds, reservation, () => {
      reservation.then((late) => late.release()).catch(() => {});
      return new NoResponse(milliseconds);
    });
  }

  async close(): Promise<void> {
    this.#users -= 1;
    if (this.#users > 0) return;
    this.onClose();
    await Promise.all(this.#links.map(({ sql }) => sql.close({ timeout: CLOSE_SECONDS })));
  }

  async #reserve(): Promise<Reservation> {
    const most = Math.max(1, this.options.size - 1);
    while (this.#links.filter(isReserved).length >= most) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    const link = this.#pick();
    link.reservations += 1;
    const end = () => {
      link.reservations -= 1;
      this.#waiting.shift()?.();
    };
    try {
      // Waits for the statements that it has been given.
      const reserved = await link.sql.reserve();
      return {
        query: (text, values, milliseconds) =>
          this.#run(link, reserved, text, values, milliseconds),
        release: () => {
          reserved.release();
          end();
        },
        discard: () => {
          this.#remove(link);
          end();
        },
      };
    } catch (error) {
      end();
      if (isSettingRefused(error)) this.#doWithoutSettings();
      // A statement before it may have taken too long, which closed the connection; or settings were refused.
      const wasRemoved = !this.#links.includes(link);
      if (!wasRemoved && !this.#isOthersTurn(error, link)) throw error;
      return this.#reserve();
    }
  }

  /** A free connection, else a new one, else the one with the fewest statements. */
  #pick(): Link {
    const mayOpen = performance.now() >= this.#fullUntil;
    let best: Link | undefined;
    for (const link of this.#links) {
      if (isReserved(link) || !(link.isOpen || mayOpen)) continue;
      if (!best || load(link) < load(best)) best = link;
    }
    if (best && (best.running === 0 || !mayOpen)) return best;
    if (mayOpen && this.#links.length < this.options.size) return this.#add();
    // If all are reserved, the statement waits for the end of a transaction.
    return best ?? this.#links.find(({ isOpen }) => isOpen) ?? this.#links[0] ?? this.#add();
  }

  #add(): Link {
    if (this.#users === 0) throw new Error("the connections are closed");
    const { prepares, settings, idleSeconds = IDLE_SECONDS } = this.options;
    const sql = new Bun.SQL(this.url, {
      max: 1,
      prepare: prepares,
      connectionTimeout: CONNECT_SECONDS,
      idleTimeout: idleSeconds,
      connection: settings,
      onconnect: (error: unknown) => {
        link.isOpen = !error;
      },
      onclose: () => {
        link.isOpen = false;
      },
    });
    const link: Link = { sql, isOpen: false, running: 0, reservations: 0 };
    this.#links.push(link);
    return link;
  }

  /** Opens new connections, and closes the old ones once their statements have finished. Transactions keep theirs. */
  #renew(): void {
    for (const link of this.#links.filter((one) => !isReserved(one))) this.#remove(link);
    this.#respondedAt = performance.now();
  }

  /** A transaction ends at once; single statements may finish. */
  #remove(link: Link): void {
    const at = this.#links.indexOf(link);
    if (at >= 0) this.#links.splice(at, 1);
    link.sql.close({ timeout: isReserved(link) ? 0 : CLOSE_SECONDS }).catch(() => {});
  }

  async #run(
    link: Link,
    driver: Pick<SQL, "unsafe">,
    text: string,
    values: readonly unknown[],
    milliseconds: number,
  ): Promise<unknown> {
    const began = performance.now();
    link.running += 1;
    const response = driver.unsafe(text, values as unknown[]).then(
      (result) => {
        link.running -= 1;
        this.#respondedAt = performance.now();
        return result;
      },
      (error) => {
        link.running -= 1;
        if (isSettingRefused(error)) this.#doWithoutSettings();
        if (isReadOnly(error)) {
          // Another server may be the primary now, at the same URL.
          this.#renew();
          this.#remove(link);
        }
        throw error;
      },
    );
    return within(milliseconds, response, () => {
      // One slow response says nothing about the others. But if there was none at all, new connections may help.
      if (this.#respondedAt < began) this.#renew();
      this.#remove(link);
      return new NoResponse(milliseconds);
    });
  }

  /** Whether the server has too many connections, and another one of this pool is open, or being opened. */
  #isOthersTurn(error: unknown, refused: Link): boolean {
    if (!isFull(error)) return false;
    this.#fullUntil = performance.now() + FULL_MS;
    return this.#links.some((link) => link !== refused && (link.isOpen || load(link) >= 1));
  }

  /** Poolers reject settings that they do not know. */
  #doWithoutSettings(): void {
    if (Object.keys(this.options.settings).length === 0) return;
    this.options.settings = {};
    this.#renew();
  }
}

const isReserved = ({ reservations }: Link): boolean => reservations > 0;

/** Opening a connection takes longer than using an open one. */
const load = ({ running, isOpen }: Link): number => running + (isOpen ? 0 : 0.5);

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
