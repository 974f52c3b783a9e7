/**
 * A session with a PostgreSQL database: table names, transactions, and errors as the caller's own types, with
 * messages that contain no secrets.
 */

import { isPassing } from "./errors.ts";
import { Pool, type Reservation } from "./pool.ts";

/** The database and schema of the tables. */
export interface PostgresTarget {
  url: string;
  /** Without user and password. */
  shown: string;
  /** Several stores may share a database, each in its own schema. */
  schema: string;
  /** False for poolers that do not support prepared statements. */
  prepares: boolean;
  /** Maximum number of connections. */
  pool: number;
}

/**
 * The most connections of a process to a database besides those of its readers: for writing, keys, and comparing
 * replicas. More shards than one less than this are not written at once.
 */
export const OTHER_CONNECTIONS = 5;

/**
 * Runs statements, in the pool or in one transaction. Table names are written in braces, {players}, and get the
 * schema as a prefix: behind a pooler, a connection cannot keep a search path.
 */
export interface Connection {
  /** For reading: outside a transaction it may run the statement twice. */
  rows<Row>(text: string, values?: readonly unknown[]): Promise<Row[]>;
  /** Returns the number of affected rows. */
  run(text: string, values?: readonly unknown[]): Promise<number>;
}

export interface Patience {
  /** How long a reader waits for a response before the database counts as unavailable. */
  readMs: number;
  /** The same inside transactions: a batch may wait for a lock, and takes longer itself. */
  writeMs: number;
}

/** The error types of the caller. Their messages are for operators. */
export interface OwnErrors {
  unavailable(message: string, cause: unknown): Error;
  /** The connection broke during COMMIT: the transaction may or may not have been committed. */
  inDoubt(message: string, cause: unknown): Error;
  undone(message: string): Error;
}

/**
 * Makes the commit of a transaction wait for the disk, even if the default of the role or of the database is `off`; other
 * values wait too, or for replicas besides. For one transaction, because a pooler may share the connection.
 */
const WAIT_FOR_DISK =
  "SELECT set_config('synchronous_commit', 'on', true) WHERE current_setting('synchronous_commit') = 'off'";

/** There are fewer that are used again and again. */
const MAX_TEXTS = 500;

/** A broken connection fails at once; only then is there time for another attempt. */
const AT_ONCE_MS = 1000;

export class PostgresSession implements Connection {
  readonly #pool: Pool;
  /** With the schema. */
  readonly #texts = new Map<string, string>();

  /**
   * `settings` are applied by the server to every connection, as far as a pooler permits. With `synchronous_commit` off,
   * commits do not wait for the disk. With `isShared`, sessions of this process to one database share its connections.
   */
  constructor(
    readonly place: PostgresTarget,
    private readonly patience: Patience,
    private readonly errors: OwnErrors,
    private readonly settings: Record<string, string> = {},
    isShared = false,
  ) {
    const { url, pool: size, prepares } = place;
    const options = { size, prepares, settings };
    this.#pool = isShared ? Pool.shared(url, options) : new Pool(url, options);
  }

  rows<Row>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    const whole = this.#withSchema(text);
    const query = () => this.#pool.query(whole, values, this.patience.readMs);
    return this.#withRetry(query) as Promise<Row[]>;
  }

  async run(text: string, values: readonly unknown[] = []): Promise<number> {
    try {
      return countOf(await this.#pool.query(this.#withSchema(text), values, this.patience.readMs));
    } catch (error) {
      throw this.#asOwnError(error);
    }
  }

  /**
   * Runs `work` as one transaction. Errors of `work` are rethrown as they are. The error `inDoubt` means that it
   * is unknown whether the transaction was committed.
   */
  async transaction<T>(
    mode: "READ COMMITTED" | "REPEATABLE READ READ ONLY",
    work: (connection: Connection) => Promise<T>,
  ): Promise<T> {
    const reserved = await this.#begin(mode);
    try {
      const result = await work(this.#inside(reserved));
      await this.#commit(reserved);
      reserved.release();
      return result;
    } catch (error) {
      await this.#abandon(reserved);
      throw error;
    }
  }

  close(): Promise<void> {
    return this.#pool.close();
  }

  /**
   * Idle connections may be broken, which shows only when they are used: then another one is used. The same goes
   * for queries that a replica cancelled. Only for statements that may run twice.
   */
  async #withRetry<T>(query: () => Promise<T>): Promise<T> {
    const began = performance.now();
    for (let left = this.place.pool; ; left--) {
      try {
        return await query();
      } catch (error) {
        const isWorthRetry = left > 0 && isPassing(error) && performance.now() - began < AT_ONCE_MS;
        if (!isWorthRetry) throw this.#asOwnError(error);
      }
    }
  }

  /** A reserved connection with an open transaction. */
  #begin(mode: string): Promise<Reservation> {
    const { writeMs } = this.patience;
    const begin = `BEGIN ISOLATION LEVEL ${mode}`;
    const isDurable = !mode.endsWith("READ ONLY") && this.settings.synchronous_commit !== "off";
    // One message for both, because each one waits for the server.
    const text = isDurable ? `${begin}; ${WAIT_FOR_DISK}` : begin;
    return this.#withRetry(async () => {
      const reserved = await this.#pool.reserve(writeMs);
      try {
        await reserved.query(text, [], writeMs);
        return reserved;
      } catch (error) {
        reserved.discard();
        throw error;
      }
    });
  }

  #inside(reserved: Reservation): Connection {
    const query = (text: string, values: readonly unknown[]) =>
      reserved.query(this.#withSchema(text), values, this.patience.writeMs).catch((error) => {
        throw this.#asOwnError(error);
      });
    return {
      rows: <Row>(text: string, values: readonly unknown[] = []) =>
        query(text, values) as Promise<Row[]>,
      run: async (text, values = []) => countOf(await query(text, values)),
    };
  }

  async #commit(reserved: Reservation): Promise<void> {
    let result: unknown;
    try {
      result = await reserved.query("COMMIT", [], this.patience.writeMs);
    } catch (error) {
      const { message } = this.#asOwnError(error);
      throw this.errors.inDoubt(message, error);
    }
    // After a failed statement, the server accepts COMMIT but rolls back.
    if ((result as { command?: unknown }).command !== "COMMIT") {
      throw this.errors.undone(`${this.place.shown} rolled back a transaction: retry`);
    }
  }

  /** Rolls back. A connection on which that fails is closed. */
  async #abandon(reserved: Reservation): Promise<void> {
    try {
      await reserved.query("ROLLBACK", [], this.patience.readMs);
      reserved.release();
    } catch {
      reserved.discard();
    }
  }

  #withSchema(text: string): string {
    let whole = this.#texts.get(text);
    if (whole !== undefined) return whole;
    const schema = quoted(this.place.schema);
    whole = text.replaceAll(/\{(\w+)\}/g, (_, table) => `${schema}.${quoted(table)}`);
    if (this.#texts.size >= MAX_TEXTS) this.#texts.clear();
    this.#texts.set(text, whole);
    return whole;
  }

  #asOwnError(error: unknown): Error {
    const { message } = error as Error;
    return this.errors.unavailable(`cannot use ${this.place.shown}: ${message}`, error);
  }
}

export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

const countOf = (result: unknown): number => Number((result as { count?: unknown }).count ?? 0);
