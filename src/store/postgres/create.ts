/** Creates declared tables in PostgreSQL. */

import type { Column, TableShape } from "../table.ts";

/** Texts are compared byte by byte. */
const TYPES = {
  text: 'text COLLATE "C"',
  integer: "integer",
  bigint: "bigint",
  bytes: "bytea",
} as const;

const columnSql = (name: string, { type, isNullable }: Column): string =>
  `${name} ${TYPES[type]}${isNullable ? "" : " NOT NULL"}`;

export function createTable(table: TableShape): string[] {
  const { name, columns, key, number, isChecked, indexes } = table;
  const lines = Object.entries(columns).map(([column, of]) => columnSql(column, of));
  if (isChecked) lines.push("checksum bigint NOT NULL");
  if (number === undefined) lines.push(`PRIMARY KEY (${key.join(", ")})`);
  else lines.push(`PRIMARY KEY (${number})`, `UNIQUE (${key.join(", ")})`);
  // Bytes are compressed already.
  const external = Object.entries(columns)
    .filter(([, { type }]) => type === "bytes")
    .map(([column]) => `ALTER TABLE {${name}} ALTER COLUMN ${column} SET STORAGE EXTERNAL`);
  return [
    // Rows that change often find room on their page.
    `CREATE TABLE {${name}} (${lines.join(", ")})${number === undefined ? "" : " WITH (fillfactor = 85)"}`,
    ...external,
    ...indexes.map(
      ({ name: index, on, where }) =>
        `CREATE INDEX ${index} ON {${name}} (${on})${where ? ` WHERE ${where}` : ""}`,
    ),
  ];
}
