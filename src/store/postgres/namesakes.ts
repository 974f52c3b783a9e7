/** Looks up players and teams by their names. */

import { verified, verifyNamesakes } from "../row-checks.ts";
import type { NamedTable } from "../store.ts";
import { selectList } from "../table.ts";
import { NAMED_TABLES, type NamedColumns } from "../tables.ts";
import type { Connection } from "./session.ts";

/** The columns of a table with this alias. */
export const namedColumns = (table: NamedTable, alias: string): string =>
  selectList(NAMED_TABLES[table], alias);

/** Rows that the index by name lists, each with the name that was asked for. */
export function verifyAsked<Row extends NamedColumns & { asked: string }>(
  table: NamedTable,
  rows: readonly Row[],
): readonly Row[] {
  for (const row of rows) verified(NAMED_TABLES[table], row);
  for (const [name, found] of Map.groupBy(rows, ({ asked }) => asked))
    verifyNamesakes(table, found, name);
  return rows;
}

/** The players who have these names, at most `limit`, and `each` per name: in the order of the names, then by id. */
export async function playersNamed(
  connection: Connection,
  names: string[],
  limit: number,
  each: number,
): Promise<readonly NamedColumns[]> {
  const rows = await connection.rows<NamedColumns & { asked: string }>(
    `SELECT player.*, given.name AS asked
     FROM unnest($1::text[]) WITH ORDINALITY AS given (name, ordinal) CROSS JOIN LATERAL (
       SELECT ${namedColumns("players", "named")} FROM {players} AS named
       WHERE named.name = given.name COLLATE "C" ORDER BY id LIMIT $2) AS player
     ORDER BY ordinal, player.id LIMIT $3`,
    [names, each, limit],
  );
  return verifyAsked("players", rows);
}
