/** Reads and writes the prune cutoff and what pruned records left behind, within a transaction. */

import { type BaseRow, readBase, writeBase } from "../row-checks.ts";
import type { PlayerBase } from "../store.ts";
import type { Statements } from "./statements.ts";
import { readShard, writeShard } from "./totals.ts";

/** In the order of the table. */
export const BASE_COLUMNS = [
  "id",
  "ranked_evidence",
  "last_match_at",
  "last_match_id",
  "streak",
  "played",
  "wins",
  "played_ranked",
  "gold",
  "snapshot",
  "ranked_wins",
  "checksum",
] as const;

export function pruningTables(database: Statements) {
  return {
    prunedBefore: (): number | undefined => readShard(database).pruned_before ?? undefined,

    setPrunedBefore(time: number): void {
      writeShard(database, { ...readShard(database), pruned_before: time });
    },

    bases: (afterId: string, limit: number): PlayerBase[] =>
      database
        .get<BaseRow>(
          `SELECT ${BASE_COLUMNS} FROM player_base WHERE id > ? ORDER BY id LIMIT ${limit}`,
        )
        .all(afterId)
        .map(readBase),

    basesOf(playerIds: string[]): Map<string, PlayerBase> {
      const found = new Map<string, PlayerBase>();
      for (const id of playerIds) {
        const row = database.row<BaseRow>(
          `SELECT ${BASE_COLUMNS} FROM player_base WHERE id = ?`,
          id,
        );
        if (row) found.set(id, readBase(row));
      }
      return found;
    },

    putBases(bases: PlayerBase[]): void {
      for (const base of bases) {
        database.run(
          `INSERT OR REPLACE INTO player_base (${BASE_COLUMNS}) VALUES (${BASE_COLUMNS.map(() => "?")})`,
          ...(Object.values(writeBase(base)) as BaseRow[keyof BaseRow][]),
        );
      }
    },

    removeBases(playerIds: string[]): void {
      for (const id of playerIds) database.run("DELETE FROM player_base WHERE id = ?", id);
    },
  };
}

/** Counts with index scans. */
export function countOlder(database: Statements, before: number) {
  return database.row<{ served: number; withheld: number }>(
    `SELECT (SELECT count(*) FROM matches WHERE created_at < ?1) AS served,
       (SELECT count(*) FROM withheld WHERE created_at < ?1) AS withheld`,
    before,
  )!;
}
