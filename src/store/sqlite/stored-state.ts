/** Reads what is derived from the records, as it is stored. */

import {
  type MatchRow,
  type NamedRow,
  type NamedTable,
  namedChecksum,
  playerOf,
  teamOf,
} from "../row-checks.ts";
import { entriesIn } from "../row-encoding.ts";
import type {
  DependentPair,
  MatchEntry,
  ShardContents,
  StoredState,
  Transaction,
} from "../store.ts";
import { NAMED_ROWS } from "./players.ts";
import type { Statements } from "./statements.ts";

export function stateTables(
  database: Statements,
): Omit<StoredState, keyof ShardContents | keyof Transaction> {
  /** Rows that are not whole are omitted. */
  const named = (table: NamedTable, ids: string[]): NamedRow[] =>
    ids.flatMap((id) => {
      const row = database.row<NamedRow>(`${NAMED_ROWS[table]} WHERE id = ?`, id);
      return row && row.checksum === namedChecksum(row) ? [row] : [];
    });

  /** Ids by number, remembered while a few matches are read. */
  function idsOf(table: NamedTable): (num: number) => string {
    const known = new Map<number, string>();
    return (num) => {
      const id =
        known.get(num) ??
        database.row<{ id: string }>(`SELECT id FROM ${table} WHERE num = ?`, num)?.id ??
        "";
      known.set(num, id);
      return id;
    };
  }

  return {
    namedIds: (kind, afterId, limit) =>
      database
        .get(`SELECT id FROM ${kind} WHERE id > ? ORDER BY id LIMIT ?`)
        .values(afterId, limit)
        .map(([id]) => id as string),

    playerRows: (ids) => named("players", ids).map(playerOf),
    teamRows: (ids) => named("teams", ids).map(teamOf),

    entriesOf(matchIds) {
      const playerId = idsOf("players");
      const teamId = idsOf("teams");
      const found = new Map<string, Pick<MatchEntry, "players" | "teams">>();
      for (const id of matchIds) {
        const row = database.row<Pick<MatchRow, "document" | "results">>(
          "SELECT results, substr(document, 1, 4 + 4 * length(results)) AS document FROM matches WHERE id = ?",
          id,
        );
        if (row) found.set(id, entriesIn(row, playerId, teamId));
      }
      return found;
    },

    evidenceAfter: (afterId, limit) =>
      database
        .get(
          "SELECT player_id, records FROM ranked_evidence WHERE player_id > ? ORDER BY player_id LIMIT ?",
        )
        .values(afterId, limit) as [string, number][],

    missingDependents: (pairs) =>
      pairs.filter(
        (pair) =>
          database.row("SELECT 1 FROM dependents WHERE player_id = ? AND match_id = ?", ...pair) ===
          null,
      ),

    dependentsAfter: (after, limit) =>
      database
        .get(
          `SELECT player_id, match_id FROM dependents WHERE (player_id, match_id) > (?, ?)
           ORDER BY player_id, match_id LIMIT ?`,
        )
        .values(...after, limit) as DependentPair[],

    vocabularyCounts: () =>
      new Map(database.get("SELECT word, records FROM vocabulary").values() as [string, number][]),
  };
}
