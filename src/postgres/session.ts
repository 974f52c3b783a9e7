/**
 * Talks to a database: names of tables, transactions, and every failure as an error of
 * its user's own kind, in words that carry no secrets.
 */

import type { ReservedSQL } from "bun";
import { isPassing, isReadOnly } from "./errors.ts";
import { type Driver, Pool } from "./pool.ts";

/** Where tables live. */
export interface PostgresTarget {
  url: string;
  /** What may be shown of it. */
  shown: string;
  /** Several users may share a database, each in a schema of its own. */
  schema: string;
  /** False for poolers that cannot carry prepared statements. */
  prepares: boolean;
  /** Connections that are kept at most. */
  pool: number;
}

/**
 * Whoever can run statements: the pool, or one transaction. Tables are written in braces, {players},
 * and get the name of their schema: a pooler gives no connection of one's own that could remember it.
 */
export interface Connection {
  /** Outside of a transaction this may ask twice: it is for reading. */
  rows<Row>(text: string, values?: readonly unknown[]): Promise<Row[]>;
  /** Says how many rows it concerned. */
  run(text: string, values?: readonly unknown[]): Promise<number>;
}

export interface Patience {
  /** How long a reader waits for an answer before the database counts as away. */
  readMs: number;
  /** The same inside transactions: a batch may wait for its turn, and takes a while itself. */
  writeMs: number;
}

/** The errors of whoever uses the database. Their messages are written for operators. */
export interface OwnErrors {
  isOwn(error: unknown): error is Error;
  away(message: string, cause: unknown): Error;
  /** The connection broke while the end of a transaction was asked for: it may have happened or not. */
  inDoubt(message: string, cause: unknown): Error;
  undone(message: string): Error;
}

/** A connection that turns out to be cut was so at once; only then is there time to ask again. */
const AT_ONCE_MS = 1000;

export class PostgresSession implements Connection {
  readonly #pool: Pool;

  /** `settings` are the server's, for every connection, as far as a pooler in between lets them pass. */
  constructor(
    readonly place: PostgresTarget,
    private readonly patience: Patience,
    private readonly errors: OwnErrors,
    settings: Record<string, string> = {},
  ) {
    this.#pool = new Pool(place.url, { size: place.pool, prepares: place.prepares, settings });
  }

  rows<Row>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    const whole = this.#withSchema(text);
    const ask = () => this.#pool.ask(whole, values, this.patience.readMs);
    return this.#despiteCuts(ask) as Promise<Row[]>;
  }

  async run(text: string, values: readonly unknown[] = []): Promise<number> {
    try {
      return countOf(await this.#pool.ask(this.#withSchema(text), values, this.patience.readMs));
    } catch (error) {
      throw this.#asOwnError(error);
    }
  }

  /**
   * Runs `work` as one transaction. What it throws itself comes back as it is. The
   * error `inDoubt` says that nobody knows whether the transaction happened.
   */
  async transaction<T>(
    mode: "READ COMMITTED" | "REPEATABLE READ READ ONLY",
    work: (connection: Connection) => Promise<T>,
  ): Promise<T> {
    const held = await this.#begin(mode);
    try {
      const result = await work(this.#inside(held));
      await this.#commit(held);
      held.release();
      return result;
    } catch (error) {
      await this.#abandon(held);
      throw error;
    }
  }

  close(): Promise<void> {
    return this.#pool.close();
  }

  /**
   * Connections that were cut while nobody used them are found out by using them: then another is
   * taken. So it is when a replica ended a reader. Only for what may be asked twice.
   */
  async #despiteCuts<T>(ask: () => Promise<T>): Promise<T> {
    const began = performance.now();
    for (let left = this.place.pool; ; left--) {
      try {
        return await ask();
      } catch (error) {
        const isWorthAnother =
          left > 0 && isPassing(error) && performance.now() - began < AT_ONCE_MS;
        if (!isWorthAnother) throw this.#asOwnError(error);
      }
    }
  }

  /** A connection of one's own, on which a transaction has begun. */
  #begin(mode: string): Promise<ReservedSQL> {
    const { writeMs } = this.patience;
    return this.#despiteCuts(async () => {
      const held = await this.#pool.hold(writeMs);
      try {
        await this.#pool.askOn(held, `BEGIN ISOLATION LEVEL ${mode}`, [], writeMs);
        return held;
      } catch (error) {
        held.close({ timeout: 0 }).catch(() => {});
        throw error;
      }
    });
  }

  #inside(held: Driver): Connection {
    const ask = (text: string, values: readonly unknown[]) =>
      this.#pool
        .askOn(held, this.#withSchema(text), values, this.patience.writeMs)
        .catch((error) => {
          // Somebody else may be written to now, at the same address.
          if (isReadOnly(error)) this.#pool.renew();
          throw this.#asOwnError(error);
        });
    return {
      rows: <Row>(text: string, values: readonly unknown[] = []) =>
        ask(text, values) as Promise<Row[]>,
      run: async (text, values = []) => countOf(await ask(text, values)),
    };
  }

  async #commit(held: Driver): Promise<void> {
    let result: unknown;
    try {
      result = await this.#pool.askOn(held, "COMMIT", [], this.patience.writeMs);
    } catch (error) {
      const { message } = this.#asOwnError(error);
      throw this.errors.inDoubt(message, error);
    }
    // After a statement that failed, the server agrees to COMMIT and does the opposite.
    if ((result as { command?: unknown }).command !== "COMMIT") {
      throw this.errors.undone(`${this.place.shown} has undone a transaction: try again`);
    }
  }

  /** Undoes what was done. A connection on which not even that works is not used again. */
  async #abandon(held: ReservedSQL): Promise<void> {
    try {
      await this.#pool.askOn(held, "ROLLBACK", [], this.patience.readMs);
      held.release();
    } catch {
      held.close({ timeout: 0 }).catch(() => {});
    }
  }

  #withSchema(text: string): string {
    const schema = quoted(this.place.schema);
    return text.replaceAll(/\{(\w+)\}/g, (_, table) => `${schema}.${quoted(table)}`);
  }

  #asOwnError(error: unknown): Error {
    if (this.errors.isOwn(error)) return error;
    const { message } = error as Error;
    return this.errors.away(`cannot use ${this.place.shown}: ${message}`, error);
  }
}

export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

const countOf = (result: unknown): number => Number((result as { count?: unknown }).count ?? 0);
