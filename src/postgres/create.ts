/** Creates declared tables in PostgreSQL. */

import type { TableShape } from "../store/table.ts";

/** Texts are compared byte by byte. */
const TYPES = {
  text: 'text COLLATE "C"',
  integer: "integer",
  bigint: "bigint",
  bytes: "bytea",
} as const;

export function createTable(table: TableShape): string[] {
  const { name, columns, key, number, isInline, isChecked, indexes } = table;
  const keyColumns = key.join(", ");
  const lines = Object.entries(columns).map(
    ([column, { type, isNullable }]) => `${column} ${TYPES[type]}${isNullable ? "" : " NOT NULL"}`,
  );
  if (isChecked) lines.push("checksum bigint NOT NULL");
  lines.push(`PRIMARY KEY (${number ?? keyColumns})`);
  const isNumbered = number !== undefined && number !== keyColumns;
  if (isNumbered) lines.push(`UNIQUE (${keyColumns})`);
  // Players and teams change often, and find room on their pages.
  const fill = isNumbered ? " WITH (fillfactor = 85)" : "";
  // They are compressed already, so that TOAST would only move them.
  const storage = isInline ? " WITH (toast_tuple_target = 8160)" : fill;
  return [
    `CREATE TABLE IF NOT EXISTS {${name}} (${lines.join(", ")})${storage}`,
    // Bytes are compressed already.
    ...Object.entries(columns)
      .filter(([, { type }]) => type === "bytes")
      .map(([column]) => `ALTER TABLE {${name}} ALTER COLUMN ${column} SET STORAGE EXTERNAL`),
    ...indexes.map(
      ({ name: index, on, where }) =>
        `CREATE INDEX IF NOT EXISTS ${index} ON {${name}} (${on})${where ? ` WHERE ${where}` : ""}`,
    ),
  ];
}
