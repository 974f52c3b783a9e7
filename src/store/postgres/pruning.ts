/** Reads and writes the prune cutoff and what pruned records left behind, within a transaction. */

import { type BaseRow, readBase, writeBase } from "../row-checks.ts";
import type { PlayerBase } from "../store.ts";
import { type GivenColumn, insertRows } from "./bulk-write.ts";
import type { Connection } from "./session.ts";

/** Casts, because bigint arrives as text. */
export const BASE_ROWS = `SELECT id, ranked_evidence, last_match_at::float8 AS last_match_at, last_match_id, streak, played,
  wins, played_ranked, gold, snapshot, checksum::float8 AS checksum, ranked_wins FROM {player_base}`;

export function pruningTables(connection: Connection) {
  return {
    prunedBefore: () => readPrunedBefore(connection),

    async setPrunedBefore(time: number): Promise<void> {
      await connection.run("UPDATE {shard} SET pruned_before = $1::bigint", [time]);
    },

    async bases(afterId: string, limit: number): Promise<PlayerBase[]> {
      const rows = await connection.rows<BaseRow>(
        `${BASE_ROWS} WHERE id > $1 ORDER BY id LIMIT $2`,
        [afterId, limit],
      );
      return rows.map(readBase);
    },

    async basesOf(playerIds: string[]): Promise<Map<string, PlayerBase>> {
      if (playerIds.length === 0) return new Map();
      const rows = await connection.rows<BaseRow>(`${BASE_ROWS} WHERE id = ANY($1::text[])`, [
        playerIds,
      ]);
      return new Map(rows.map((row) => [row.id, readBase(row)]));
    },

    async putBases(bases: PlayerBase[]): Promise<void> {
      if (bases.length === 0) return;
      const rows = bases.map(writeBase);
      await connection.run("DELETE FROM {player_base} WHERE id = ANY($1::text[])", [
        rows.map(({ id }) => id),
      ]);
      const served = rows.filter(({ snapshot }) => snapshot !== null);
      const others = rows.filter(({ snapshot }) => snapshot === null);
      await insertRows(connection, "player_base", [
        ...evidenceColumns(served),
        { name: "last_match_at", type: "bigint", values: served.map((row) => row.last_match_at!) },
        { name: "last_match_id", type: "text", values: served.map((row) => row.last_match_id!) },
        { name: "streak", type: "integer", values: served.map(({ streak }) => streak!) },
        { name: "played", type: "integer", values: served.map(({ played }) => played!) },
        { name: "wins", type: "integer", values: served.map(({ wins }) => wins!) },
        { name: "played_ranked", type: "integer", values: served.map((row) => row.played_ranked!) },
        { name: "ranked_wins", type: "integer", values: served.map((row) => row.ranked_wins) },
        { name: "gold", type: "text", values: served.map(({ gold }) => gold!) },
        { name: "snapshot", type: "bytea", values: served.map(({ snapshot }) => snapshot!) },
      ]);
      await insertRows(connection, "player_base", evidenceColumns(others));
    },

    async removeBases(playerIds: string[]): Promise<void> {
      if (playerIds.length === 0) return;
      await connection.run("DELETE FROM {player_base} WHERE id = ANY($1::text[])", [playerIds]);
    },
  };
}

/** The columns that every row has. */
const evidenceColumns = (rows: readonly BaseRow[]): GivenColumn[] => [
  { name: "id", type: "text", values: rows.map(({ id }) => id) },
  { name: "ranked_evidence", type: "integer", values: rows.map((row) => row.ranked_evidence) },
  { name: "checksum", type: "bigint", values: rows.map(({ checksum }) => checksum) },
];

export async function readPrunedBefore(connection: Connection): Promise<number | undefined> {
  const [row] = await connection.rows<{ cutoff: number | null }>(
    "SELECT pruned_before::float8 AS cutoff FROM {shard} AS shard",
  );
  return row!.cutoff ?? undefined;
}

export async function countOlder(
  connection: Connection,
  before: number,
): Promise<{ served: number; withheld: number }> {
  const [row] = await connection.rows<{ served: number; withheld: number }>(
    `SELECT (SELECT count(*) FROM {matches} AS matches WHERE created_at < $1::bigint)::float8 AS served,
       (SELECT count(*) FROM {withheld} AS withheld WHERE created_at < $1::bigint)::float8 AS withheld`,
    [before],
  );
  return row!;
}
