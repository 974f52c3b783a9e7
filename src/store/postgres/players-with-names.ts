/** Looks up players by their names. */

import type { NamedColumns } from "../tables.ts";
import { namedColumns, verifyNamesake } from "./named-rows.ts";
import type { Connection } from "./session.ts";

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
