/** Runs the core on a schema in PostgreSQL. Many rows are written by one statement. */

import { createTable } from "../../postgres/create.ts";
import { verified } from "../row-checks.ts";
import type { Engine } from "../steps.ts";
import {
  columnIn,
  onConflict,
  oncePerTable,
  selectList,
  storedColumns,
  storedValues,
  type Table,
  type TableShape,
  type Value,
} from "../table.ts";
import type { Connection } from "./session.ts";

export function postgresEngine(connection: Connection): Engine {
  return {
    query: (sql, values) => connection.rows(sql, values),

    each(texts, sql, { values = [], limit } = {}) {
      const asked = `unnest($${values.length + 1}::text[]) AS asked (value)`;
      const statement = sql.replaceAll("$each", '(asked.value COLLATE "C")');
      return connection.rows(
        `SELECT found.* FROM ${asked} CROSS JOIN LATERAL (${statement}) AS found
         ${limit === undefined ? "" : `LIMIT ${limit}`}`,
        [...values, texts],
      );
    },

    run: (sql, values) => connection.run(sql, values),

    async select<Row>(table: Table<Row>, rest: string, values?: readonly unknown[]) {
      const rows = await connection.rows<Row>(`${rowsIn(table)} ${rest}`, values);
      return rows.map((row) => verified(table, row));
    },

    async get<Row, Key extends keyof Row>(table: Table<Row, Key>, keys: readonly Pick<Row, Key>[]) {
      if (keys.length === 0) return [];
      const { source, isAsked, values } = asked(table, keys);
      const also = source && `, ${source}`;
      const rows = await connection.rows<Row>(`${rowsIn(table)}${also} WHERE ${isAsked}`, values);
      return rows.map((row) => verified(table, row));
    },

    async create(table) {
      for (const statement of createTable(table)) await connection.run(statement);
    },

    insert: (table, rows) => insertRows(connection, table, rows),

    put: (table, rows) => insertRows(connection, table, rows, onConflict(table)),

    async remove(table, keys) {
      if (keys.length === 0) return;
      const { source, isAsked, values } = asked(table, keys);
      const using = source && `USING ${source}`;
      await connection.run(
        `DELETE FROM {${table.name}} AS ${table.name} ${using} WHERE ${isAsked}`,
        values,
      );
    },
  };
}

/** Columns of text are compared byte by byte. */
const isGiven = (table: TableShape): string =>
  table.key
    .map((name) => {
      const collation = columnIn(table, name).type === "text" ? ' COLLATE "C"' : "";
      return `${table.name}.${name} = given.${name}${collation}`;
    })
    .join(" AND ");

/** A statement that selects the rows of a table. */
export const rowsIn = oncePerTable(
  (table) => `SELECT ${selectList(table, table.name)} FROM {${table.name}} AS ${table.name}`,
);

async function insertRows<Row>(
  connection: Connection,
  table: Table<Row>,
  rows: readonly Row[],
  onConflict = "",
): Promise<void> {
  if (rows.length === 0) return;
  const names = storedColumns(table);
  const { source, expressions, values } = given(
    table,
    names,
    rows.map((row) => storedValues(table, row)),
  );
  await connection.run(
    `INSERT INTO {${table.name}} (${names.join(", ")})
     SELECT ${expressions.join(", ")} FROM ${source} ${onConflict}`,
    values,
  );
}

/** How rows with these keys are found: by a list, or by a source of rows if the key has several columns. */
function asked<Row, Key extends keyof Row>(
  table: Table<Row, Key>,
  keys: readonly Pick<Row, Key>[],
): { source: string; isAsked: string; values: unknown[] } {
  const [only, ...others] = table.key;
  if (others.length === 0) {
    const isAsked = `${table.name}.${only!} = ANY($1::${columnIn(table, only!).type}[])`;
    return { source: "", isAsked, values: [keys.map((key) => key[only!])] };
  }
  const rows = keys.map((key) => table.key.map((name) => key[name] as Value));
  return { ...given(table, table.key, rows), isAsked: isGiven(table) };
}

/**
 * The source rows of a statement: a FROM item with the alias `given`, and the value of each column in it. Values are passed
 * as one array per column. The byte strings of a column are concatenated, and the server splits them.
 */
function given(table: TableShape, columns: readonly string[], rows: readonly Value[][]) {
  const names: string[] = [];
  const arrays: string[] = [];
  const values: unknown[] = [];
  const add = (name: string, type: string, list: readonly unknown[]) => {
    values.push(list);
    names.push(name);
    arrays.push(`$${values.length}::${type}[]`);
    return `given.${name}`;
  };
  const expressions = columns.map((name, at) => {
    const { type } = columnIn(table, name);
    const list = rows.map((row) => row[at]!);
    if (type !== "bytes") return add(name, type, list);
    const blobs = list as (Uint8Array | null)[];
    // Counted from 1 as in SQL. A length of -1 means NULL.
    let end = 1;
    const starts = blobs.map((blob) => {
      end += blob?.length ?? 0;
      return end - (blob?.length ?? 0);
    });
    values.push(Buffer.concat(blobs.filter((blob) => blob !== null)));
    const whole = `$${values.length}::bytea`;
    const start = add(`${name}_start`, "integer", starts);
    const lengths = blobs.map((blob) => blob?.length ?? -1);
    const length = add(`${name}_length`, "integer", lengths);
    return `CASE WHEN ${length} >= 0 THEN substr(${whole}, ${start}, ${length}) END`;
  });
  const source = `unnest(${arrays.join(", ")}) AS given (${names.join(", ")})`;
  return { source, expressions, values };
}
