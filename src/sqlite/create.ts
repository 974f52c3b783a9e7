/** Creates declared tables in SQLite, and their rows. */

import { oncePerTable, storedColumns, type TableShape } from "../store/table.ts";

const TYPES = { text: "TEXT", integer: "INTEGER", bigint: "INTEGER", bytes: "BLOB" } as const;

export function createTable(table: TableShape): string[] {
  const { name, columns, key, number, hasRowids, isChecked, indexes } = table;
  const keyColumns = key.join(", ");
  const lines = Object.entries(columns).map(([column, { type, isNullable }]) =>
    column === number
      ? `${column} INTEGER PRIMARY KEY`
      : `${column} ${TYPES[type]}${isNullable ? "" : " NOT NULL"}`,
  );
  if (isChecked) lines.push("checksum INTEGER NOT NULL");
  if (number === undefined) lines.push(`PRIMARY KEY (${keyColumns})`);
  else if (keyColumns !== number) lines.push(`UNIQUE (${keyColumns})`);
  const storage = number === undefined && !hasRowids ? " WITHOUT ROWID" : "";
  return [
    `CREATE TABLE IF NOT EXISTS ${name} (${lines.join(", ")})${storage}`,
    ...indexes.map(
      ({ name: index, on, where }) =>
        `CREATE INDEX IF NOT EXISTS ${index} ON ${name} (${on})${where ? ` WHERE ${where}` : ""}`,
    ),
  ];
}

export const insertInto = oncePerTable((table) => {
  const columns = storedColumns(table);
  return `INSERT INTO ${table.name} (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`;
});
