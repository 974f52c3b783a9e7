/**
 * The store's core is written once, as steps: generators that say what they need of an engine. SQLite answers at once, so
 * that its reads end within the turn, and so within the snapshot, in which they began; PostgreSQL answers later.
 */

import type { Awaitable } from "../domain/awaitable.ts";
import type { Table, TableShape } from "./table.ts";

/**
 * What an engine does. SQL is written in the words that both share: table names in braces, {players}; parameters as $1, with
 * casts as PostgreSQL needs them, $1::bigint; a list of values as `= ANY($1::text[])`. Rows of declared tables are
 * verified as they are read.
 */
export interface Engine {
  /** Undeclared rows, e.g. of aggregates. Numbers that may be large need a cast to float8. */
  query<Row>(sql: string, values?: readonly unknown[]): Awaitable<Row[]>;
  /**
   * The rows of a statement that runs for each of these texts, $each in it: at most `limit` in all. For what an index
   * finds in short ranges.
   */
  each<Row>(texts: readonly string[], sql: string, options?: EachOptions): Awaitable<Row[]>;
  /** Returns the number of changed rows. */
  run(sql: string, values?: readonly unknown[]): Awaitable<number>;
  /** `rest` is what follows FROM. Columns in ORDER BY need the name of the table. */
  select<Row>(table: Table<Row>, rest: string, values?: readonly unknown[]): Awaitable<Row[]>;
  /** The rows with these keys. Those that do not exist are omitted. */
  get<Row, Key extends keyof Row>(
    table: Table<Row, Key>,
    keys: readonly Pick<Row, Key>[],
  ): Awaitable<Row[]>;
  /** Creates a table, unless it exists. */
  create(table: TableShape): Awaitable<void>;
  insert<Row>(table: Table<Row>, rows: readonly Row[]): Awaitable<void>;
  /** Inserts or replaces. */
  put<Row>(table: Table<Row>, rows: readonly Row[]): Awaitable<void>;
  /** Unknown keys are ignored. */
  remove<Row, Key extends keyof Row>(
    table: Table<Row, Key>,
    keys: readonly Pick<Row, Key>[],
  ): Awaitable<void>;
}

export interface EachOptions {
  /** For $1 and so on. */
  values?: readonly unknown[];
  limit?: number;
}

type Step = (engine: Engine) => Awaitable<unknown>;

export type Steps<T> = Generator<Step, T, never>;

/** One step. */
export function* ask<T>(step: (engine: Engine) => Awaitable<T>): Steps<T> {
  return (yield step) as T;
}

/** Runs steps. The result is there at once if every step was answered at once. */
export function run<T>(engine: Engine, steps: Steps<T>): Awaitable<T> {
  let next = steps.next();
  while (!next.done) {
    let answer: unknown;
    try {
      answer = next.value(engine);
    } catch (error) {
      next = steps.throw(error);
      continue;
    }
    if (answer instanceof Promise) return runLater(engine, steps, answer);
    next = steps.next(answer as never);
  }
  return next.value;
}

async function runLater<T>(engine: Engine, steps: Steps<T>, first: Promise<unknown>): Promise<T> {
  for (let answer: Awaitable<unknown> = first; ; ) {
    let next: IteratorResult<Step, T>;
    try {
      next = steps.next((await answer) as never);
    } catch (error) {
      // Of the step; an error of the core comes back as it is.
      next = steps.throw(error);
    }
    if (next.done) return next.value;
    try {
      answer = next.value(engine);
    } catch (error) {
      answer = Promise.reject(error);
    }
  }
}

type Core = Record<string, (...values: never[]) => Steps<unknown>>;

type Bound<Functions extends Core> = {
  [Name in keyof Functions]: Functions[Name] extends (...values: infer Given) => Steps<infer T>
    ? (...values: Given) => Awaitable<T>
    : never;
};

/** Functions of the core as methods of a store. */
export const bound = <Functions extends Core>(
  engine: Engine,
  functions: Functions,
): Bound<Functions> =>
  Object.fromEntries(
    Object.entries(functions).map(([name, steps]) => [
      name,
      (...values: never[]) => run(engine, steps(...values)),
    ]),
  ) as Bound<Functions>;

/** The steps of the core, one for each thing an engine does. */
export const query = <Row>(sql: string, values?: readonly unknown[]): Steps<Row[]> =>
  ask((engine) => engine.query<Row>(sql, values));

export const each = <Row>(
  texts: readonly string[],
  sql: string,
  options?: EachOptions,
): Steps<Row[]> => ask((engine) => engine.each<Row>(texts, sql, options));

export const create = (table: TableShape): Steps<void> => ask((engine) => engine.create(table));

export const select = <Row>(
  table: Table<Row>,
  rest: string,
  values?: readonly unknown[],
): Steps<Row[]> => ask((engine) => engine.select(table, rest, values));

export const get = <Row, Key extends keyof Row>(
  table: Table<Row, Key>,
  keys: readonly Pick<Row, Key>[],
): Steps<Row[]> => ask((engine) => engine.get(table, keys));

export const insert = <Row>(table: Table<Row>, rows: readonly Row[]): Steps<void> =>
  ask((engine) => engine.insert(table, rows));

export const put = <Row>(table: Table<Row>, rows: readonly Row[]): Steps<void> =>
  ask((engine) => engine.put(table, rows));

export const remove = <Row, Key extends keyof Row>(
  table: Table<Row, Key>,
  keys: readonly Pick<Row, Key>[],
): Steps<void> => ask((engine) => engine.remove(table, keys));

/**
 * Combines rows with those that are stored under the same keys. `combine` returns undefined for a row that is then removed.
 */
export function* merge<Row, Key extends keyof Row>(
  table: Table<Row, Key>,
  rows: readonly Row[],
  combine: (row: Row, stored: Row | undefined) => Row | undefined,
): Steps<void> {
  const keyOf = (row: Row) => JSON.stringify(table.key.map((name) => row[name]));
  const stored = new Map((yield* get(table, rows)).map((row) => [keyOf(row), row]));
  const changed = rows.map((row) => ({ row, now: combine(row, stored.get(keyOf(row))) }));
  yield* put(
    table,
    changed.flatMap(({ now }) => now ?? []),
  );
  yield* remove(
    table,
    changed.filter(({ now }) => now === undefined).map(({ row }) => row),
  );
}
