/**
 * In charge of talking to PostgreSQL: a pool of connections, time-outs, and every failure as a
 * StoreError in words that carry no secrets.
 */

import { SQL } from "bun";
import { StoreAway, StoreError } from "../store.ts";

/** Where a shard lives. */
export interface PostgresPlace {
  url: string;
  /** What may be shown of it. */
  shown: string;
  /** Tables of several shards may share a database, each in a schema of its own. */
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
  rows<Row>(text: string, values?: readonly unknown[]): Promise<Row[]>;
  /** Says how many rows it concerned. */
  run(text: string, values?: readonly unknown[]): Promise<number>;
}

/** How long a connection may take to come about, in seconds. */
const CONNECT_SECONDS = 3;
const IDLE_SECONDS = 60;
/** How long a reader waits for an answer before the shard counts as away. */
const READ_MS = 5000;
/** A batch may wait for its turn, and takes a while itself. */
const WRITE_MS = 120_000;

const MOST_TEXTS = 1000;

type Driver = Pick<SQL, "unsafe">;

export class Session implements Connection {
  readonly #sql: SQL;
  readonly #place: PostgresPlace;
  /** Statements with the schema's name in them, by what they were before. */
  readonly #texts = new Map<string, string>();

  constructor(place: PostgresPlace) {
    this.#place = place;
    this.#sql = new SQL(place.url, {
      max: place.pool,
      prepare: place.prepares,
      connectionTimeout: CONNECT_SECONDS,
      idleTimeout: IDLE_SECONDS,
    });
  }

  get place(): PostgresPlace {
    return this.#place;
  }

  rows<Row>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    return this.#ask(this.#sql, READ_MS, text, values) as Promise<Row[]>;
  }

  async run(text: string, values: readonly unknown[] = []): Promise<number> {
    return countOf(await this.#ask(this.#sql, READ_MS, text, values));
  }

  /** Runs `work` as one transaction. What it throws itself comes back as it is. */
  async transaction<T>(
    mode: "READ COMMITTED" | "REPEATABLE READ READ ONLY",
    work: (connection: Connection) => Promise<T>,
  ): Promise<T> {
    let failure: { error: unknown } | undefined;
    try {
      return await this.#sql.begin(`ISOLATION LEVEL ${mode}`, async (sql) => {
        try {
          return await work(this.#inside(sql));
        } catch (error) {
          failure = { error };
          throw error;
        }
      });
    } catch (error) {
      throw failure ? failure.error : this.#asStoreError(error);
    }
  }

  close(): Promise<void> {
    return this.#sql.close({ timeout: 5 });
  }

  #inside(sql: Driver): Connection {
    return {
      rows: <Row>(text: string, values: readonly unknown[] = []) =>
        this.#ask(sql, WRITE_MS, text, values) as Promise<Row[]>,
      run: async (text, values = []) => countOf(await this.#ask(sql, WRITE_MS, text, values)),
    };
  }

  /** The answer, unless it takes too long: then it is called off, whether or not that is heard. */
  async #ask(
    sql: Driver,
    milliseconds: number,
    text: string,
    values: readonly unknown[],
  ): Promise<unknown> {
    const query = sql.unsafe(this.#withSchema(text), [...values]);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        reject(new Error(`no answer within ${milliseconds / 1000} s`));
        query.cancel();
      }, milliseconds);
    });
    try {
      return await Promise.race([query, late]);
    } catch (error) {
      throw this.#asStoreError(error);
    } finally {
      clearTimeout(timer);
    }
  }

  #withSchema(text: string): string {
    const known = this.#texts.get(text);
    if (known !== undefined) return known;
    const schema = quoted(this.#place.schema);
    const whole = text.replaceAll(/\{(\w+)\}/g, (_, table) => `${schema}.${quoted(table)}`);
    if (this.#texts.size >= MOST_TEXTS) this.#texts.clear();
    this.#texts.set(text, whole);
    return whole;
  }

  #asStoreError(error: unknown): StoreError {
    if (error instanceof StoreError) return error;
    const { message } = error as Error;
    return new StoreAway(`cannot use ${this.#place.shown}: ${message}`, { cause: error });
  }
}

export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

const countOf = (result: unknown): number => Number((result as { count?: unknown }).count ?? 0);
