/** Looks up players and teams by their names. */

import { verified } from "../row-checks.ts";
import { DamagedData, type NamedTable } from "../store.ts";
import { NAMED_TABLES, type NamedColumns } from "../tables.ts";
import { selectList } from "./engine.ts";
import type { Connection } from "./session.ts";

/** The columns of a table with this alias. */
export const namedColumns = (table: NamedTable, alias: string): string =>
  selectList(NAMED_TABLES[table], alias);

/** Of a row that the index by name lists under this name. */
export function verifyNamesake(table: NamedTable, row: NamedColumns, name: string): NamedColumns {
  verified(NAMED_TABLES[table], row);
  if (row.name !== name) throw new DamagedData(table, row.id);
  return row;
}

/**
 * The players who have these names, at most `limit` each and `most` in all: in the order of the
 * names, then by id.
 */
export async function playersWithNames(
  connection: Connection,
  names: string[],
  limit: number,
  most = names.length * limit,
): Promise<NamedColumns[]> {
  const rows = await connection.rows<NamedColumns & { asked: string }>(
    `SELECT player.*, given.name AS asked
     FROM unnest($1::text[]) WITH ORDINALITY AS given (name, ordinal) CROSS JOIN LATERAL (
       SELECT ${namedColumns("players", "named")} FROM {players} AS named
       WHERE named.name = given.name COLLATE "C" ORDER BY id LIMIT $2) AS player
     ORDER BY ordinal, player.id LIMIT $3`,
    [names, limit, most],
  );
  return rows.map((row) => verifyNamesake("players", row, row.asked));
}
