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
import { type GivenColumn, given, insertRows } from "./bulk-write.ts";
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

    async insert(table, rows) {
      if (rows.length > 0) await insertRows(connection, table.name, columnsOf(table, rows));
    },

    async put(table, rows) {
      if (rows.length === 0) return;
      await insertRows(connection, table.name, columnsOf(table, rows), onConflict(table));
    },

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

const TYPES = { text: "text", integer: "integer", bigint: "bigint", bytes: "bytea" } as const;

/** A statement that selects the rows of a table. */
export const rowsIn = oncePerTable(
  (table) => `SELECT ${selectList(table, table.name)} FROM {${table.name}} AS ${table.name}`,
);

const givenColumn = (table: TableShape, name: string, values: Value[]): GivenColumn =>
  ({ name, type: TYPES[columnIn(table, name).type], values }) as GivenColumn;

function columnsOf<Row>(table: Table<Row>, rows: readonly Row[]): GivenColumn[] {
  const all = rows.map((row) => storedValues(table, row));
  return storedColumns(table).map((name, at) =>
    givenColumn(
      table,
      name,
      all.map((values) => values[at]!),
    ),
  );
}

const keyColumns = <Row, Key extends keyof Row>(
  table: Table<Row, Key>,
  keys: readonly Pick<Row, Key>[],
): GivenColumn[] =>
  table.key.map((name) =>
    givenColumn(
      table,
      name,
      keys.map((key) => key[name] as Value),
    ),
  );

/** How rows with these keys are found: by a list, or by a source of rows if the key has several columns. */
function asked<Row, Key extends keyof Row>(
  table: Table<Row, Key>,
  keys: readonly Pick<Row, Key>[],
): { source: string; isAsked: string; values: unknown[] } {
  const columns = keyColumns(table, keys);
  const [only, ...others] = columns;
  if (others.length === 0) {
    const isAsked = `${table.name}.${only!.name} = ANY($1::${only!.type}[])`;
    return { source: "", isAsked, values: [only!.values] };
  }
  return { ...given(columns), isAsked: isGiven(table) };
}
