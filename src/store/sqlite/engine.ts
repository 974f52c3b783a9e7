/** Runs the core on a SQLite file. */

import type { Database, SQLQueryBindings } from "bun:sqlite";
import { createTable, insertInto } from "../../sqlite/create.ts";
import { verified } from "../row-checks.ts";
import { type EachOptions, type Engine, run, type Steps } from "../steps.ts";
import { DamagedData } from "../store.ts";
import {
  onConflict,
  oncePerTable,
  storedColumns,
  storedValues,
  type Table,
  type TableShape,
  type Value,
} from "../table.ts";
import { asReadError } from "./sqlite-errors.ts";
import { Statements } from "./statements.ts";

export function sqliteEngine(statements: Statements): Engine {
  const prepared = <Row>(sql: string) => statements.get<Row>(sql, inSqlite);
  const write = <Row>(sql: string, table: Table<Row>, rows: readonly Row[]) => {
    const statement = statements.get(sql);
    for (const row of rows) statement.run(...storedValues(table, row));
  };
  return {
    query: <Row>(sql: string, values: readonly unknown[] = []) =>
      prepared<Row>(sql).all(...values.map(bindable)),

    each<Row>(texts: readonly string[], sql: string, options: EachOptions = {}) {
      const { values = [], limit = Number.POSITIVE_INFINITY } = options;
      const statement = prepared<Row>(sql.replaceAll("$each", `$${values.length + 1}`));
      const found: Row[] = [];
      for (const text of texts) {
        found.push(...statement.all(...values.map(bindable), text));
        if (found.length >= limit) return found.slice(0, limit);
      }
      return found;
    },

    run: (sql, values = []) => prepared(sql).run(...values.map(bindable)).changes,

    select<Row>(table: Table<Row>, rest: string, values: readonly unknown[] = []) {
      const rows = prepared<Row & { listed?: unknown }>(`${selectRows(table)} ${rest}`).all(
        ...values.map(bindable),
      );
      for (const row of rows) {
        const { listed } = row;
        if (listed !== undefined && listed !== row[table.key[0] as keyof Row])
          throw new DamagedData(table.name, String(listed));
        verified(table, row);
      }
      return rows;
    },

    get<Row, Key extends keyof Row>(table: Table<Row, Key>, keys: readonly Pick<Row, Key>[]) {
      const byKey = statements.get<Row>(selectByKey(table));
      try {
        return keys.flatMap((key) => {
          const row = byKey.get(...keyValues(table, key));
          return row === null ? [] : verified(table, row as Row);
        });
      } catch (error) {
        // What SQLite cannot read is damage too.
        throw asReadError(error, statements.database);
      }
    },

    create(table) {
      for (const statement of createTable(table)) statements.database.run(statement);
    },

    insert: (table, rows) => write(insertInto(table), table, rows),

    put: (table, rows) => write(`${insertInto(table)} ${onConflict(table)}`, table, rows),

    remove(table, keys) {
      const byKey = statements.get(deleteByKey(table));
      for (const key of keys) byKey.run(...keyValues(table, key));
    },
  };
}

/** Runs steps with statements of their own. */
export function runOn<T>(database: Database, steps: Steps<T>): T {
  const statements = new Statements(database);
  try {
    return run(sqliteEngine(statements), steps) as T;
  } catch (error) {
    throw asReadError(error, database);
  } finally {
    statements.finalize();
  }
}

const isKey = ({ key }: TableShape): string => key.map((name) => `${name} = ?`).join(" AND ");

const deleteByKey = oncePerTable((table) => `DELETE FROM ${table.name} WHERE ${isKey(table)}`);

const selectByKey = oncePerTable(
  (table) => `SELECT ${storedColumns(table).join(", ")} FROM ${table.name} WHERE ${isKey(table)}`,
);

/** Rows with numbers are read by them: otherwise SQLite takes the key from the index, and damage stays unseen. */
const selectRows = oncePerTable((table) => {
  const { name, key, number } = table;
  const columns = storedColumns(table);
  if (number === undefined || number === key[0]) return `SELECT ${columns.join(", ")} FROM ${name}`;
  return `SELECT ${columns.map((column) => `stored.${column}`).join(", ")}, ${name}.${key[0]} AS listed
    FROM ${name} CROSS JOIN ${name} AS stored ON stored.${number} = ${name}.${number}`;
});

const keyValues = <Row, Key extends keyof Row>(
  { key }: Table<Row, Key>,
  row: Pick<Row, Key>,
): Value[] => key.map((name) => row[name] as Value);

/** Lists arrive as JSON. */
const bindable = (value: unknown): SQLQueryBindings =>
  Array.isArray(value) ? JSON.stringify(value) : (value as SQLQueryBindings);

/** A statement of the core in the SQL of SQLite. */
const inSqlite = (sql: string): string =>
  sql
    .replaceAll(/\{(\w+)\}/g, "$1")
    .replaceAll(/= ANY\(\$(\d+)::\w+\[\]\)/g, "IN (SELECT value FROM json_each(?$1))")
    .replaceAll(/::\w+/g, "")
    .replaceAll(' COLLATE "C"', "")
    // SQLite prepares a statement again for each value of a limit that is a mere parameter, which takes longer than a look-up.
    .replaceAll(/LIMIT \$(\d+)/g, "LIMIT (?$1 + 0)")
    .replaceAll(/\$(\d+)/g, "?$1");
