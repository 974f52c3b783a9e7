/** Reads what is derived from the records, as it is stored. */

import {
  type NamedRow,
  type NamedTable,
  namedChecksum,
  playerOf,
  type RecentRow,
  readRecent,
  teamOf,
} from "../row-checks.ts";
import { entriesIn, someResult } from "../row-encoding.ts";
import type { DependentPair, ShardContents, StoredState, Transaction } from "../store.ts";
import { RECENT_ROWS, recentOf } from "./boards.ts";
import { NAMED_ROWS } from "./players.ts";
import type { Statements } from "./statements.ts";

export function stateTables(
  database: Statements,
): Omit<StoredState, keyof ShardContents | keyof Transaction> {
  /** Rows that are not whole are omitted. */
  const whole = (rows: NamedRow[]) => rows.filter((row) => row.checksum === namedChecksum(row));

  const named = (table: NamedTable, ids: string[]): NamedRow[] =>
    whole(
      ids.flatMap((id) => database.row<NamedRow>(`${NAMED_ROWS[table]} WHERE id = ?`, id) ?? []),
    );

  /** The rows with these keys. One statement for all: starting one costs more than a lookup. */
  const found = (select: string, keys: Iterable<string | number>) =>
    database.get(`${select} IN (SELECT value FROM json_each(?))`).values(JSON.stringify([...keys]));

  function idsOf(table: NamedTable, nums: ReadonlySet<number>): (num: number) => string {
    const rows = found(`SELECT num, id FROM ${table} WHERE num`, nums);
    const known = new Map(rows as [number, string][]);
    return (num) => known.get(num) ?? "";
  }

  return {
    namedIds: (kind, afterId, limit) =>
      database
        .get(`SELECT id FROM ${kind} WHERE id > ? ORDER BY id LIMIT ?`)
        .values(afterId, limit)
        .map(([id]) => id as string),

    playerRows: (ids) => named("players", ids).map(playerOf),
    playersSeen: (from, to) =>
      whole(
        database
          .get<NamedRow>(`${NAMED_ROWS.players} WHERE last_match_at BETWEEN ? AND ?`)
          .all(from, to),
      ).map(playerOf),
    teamRows: (ids) => named("teams", ids).map(teamOf),

    entriesOf(matchIds) {
      const rows = found(
        `SELECT id, results, substr(document, 1, 4 + 4 * length(results)) FROM matches WHERE id`,
        matchIds,
      ) as [string, Uint8Array, Uint8Array][];
      const nums = { players: new Set<number>(), teams: new Set<number>() };
      for (const [, results, document] of rows) {
        for (const of of ["players", "teams"] as const) {
          someResult({ results, document }, of, (num) => {
            nums[of].add(num);
            return false;
          });
        }
      }
      const playerId = idsOf("players", nums.players);
      const teamId = idsOf("teams", nums.teams);
      return new Map(
        rows.map(([id, results, document]) => [
          id,
          entriesIn({ results, document }, playerId, teamId),
        ]),
      );
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

    recentAfter: (afterId, limit) =>
      database
        .get<RecentRow>(`${RECENT_ROWS} WHERE id > ? ORDER BY id LIMIT ?`)
        .all(afterId, limit)
        .map((row) => [row.id, readRecent(row)]),
    recentOf: (playerIds) => recentOf(database, playerIds),

    vocabularyCounts: () =>
      new Map(database.get("SELECT word, records FROM vocabulary").values() as [string, number][]),
  };
}
