/** Creates declared tables in SQLite. */

import type { Column, TableShape } from "../table.ts";

const TYPES = { text: "TEXT", integer: "INTEGER", bigint: "INTEGER", bytes: "BLOB" } as const;

const columnSql = (name: string, { type, isNullable }: Column): string =>
  `${name} ${TYPES[type]}${isNullable ? "" : " NOT NULL"}`;

/** A table without a number is stored by its key. */
export function createTable(table: TableShape): string {
  const { name, columns, key, number, isChecked, indexes } = table;
  const lines = Object.entries(columns).map(([column, of]) =>
    column === number ? `${column} INTEGER PRIMARY KEY` : columnSql(column, of),
  );
  if (isChecked) lines.push("checksum INTEGER NOT NULL");
  lines.push(`${number === undefined ? "PRIMARY KEY" : "UNIQUE"} (${key.join(", ")})`);
  const create = `CREATE TABLE ${name} (${lines.join(", ")})${number === undefined ? " WITHOUT ROWID" : ""};`;
  return [create, ...indexes.map((index) => createIndex(name, index))].join("\n");
}

const createIndex = (table: string, { name, on, where }: TableShape["indexes"][number]): string =>
  `CREATE INDEX ${name} ON ${table} (${on})${where ? ` WHERE ${where}` : ""};`;
