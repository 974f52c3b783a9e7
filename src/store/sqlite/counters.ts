/** Counters: ranked evidence, dependents, vocabulary, and what a shard reports about itself. */

import { noneWithheld, type WithheldReason } from "../../domain/visibility.ts";
import { type MatchRow, matchChecksum } from "../row-checks.ts";
import { type Counts, DamagedData, type Summary } from "../store.ts";
import { MATCH_ROW } from "./matches.ts";
import { asReadError } from "./sqlite-errors.ts";
import type { Statements } from "./statements.ts";
import { readShard } from "./totals.ts";

export function counterTables(database: Statements) {
  /** Changes counters. Those that reach zero are deleted. */
  function change(table: string, key: string, changes: ReadonlyMap<string, number>): void {
    for (const [name, by] of changes) {
      database.run(
        `INSERT INTO ${table} (${key}, records) VALUES (?, ?)
         ON CONFLICT (${key}) DO UPDATE SET records = records + excluded.records`,
        name,
        by,
      );
      if (by < 0) database.run(`DELETE FROM ${table} WHERE ${key} = ? AND records <= 0`, name);
    }
  }

  return {
    rankedEvidence(playerIds: string[]): Map<string, number> {
      const evidence = new Map<string, number>();
      for (const id of playerIds) {
        const row = database.row<{ records: number }>(
          "SELECT records FROM ranked_evidence WHERE player_id = ?",
          id,
        );
        if (row) evidence.set(id, row.records);
      }
      return evidence;
    },

    changeRankedEvidence(changes: ReadonlyMap<string, number>): void {
      change("ranked_evidence", "player_id", changes);
    },

    dependents(playerIds: string[]): string[] {
      const ofPlayer = database.get<{ match_id: string }>(
        "SELECT match_id FROM dependents WHERE player_id = ? ORDER BY match_id",
      );
      return [
        ...new Set(playerIds.flatMap((id) => ofPlayer.all(id).map(({ match_id }) => match_id))),
      ];
    },

    addDependents(pairs: [string, string][]): void {
      for (const pair of pairs) {
        database.run("INSERT INTO dependents (player_id, match_id) VALUES (?, ?)", ...pair);
      }
    },

    removeDependents(pairs: [string, string][]): void {
      for (const pair of pairs) {
        database.run("DELETE FROM dependents WHERE player_id = ? AND match_id = ?", ...pair);
      }
    },

    changeVocabulary(changes: ReadonlyMap<string, number>): void {
      change("vocabulary", "word", changes);
    },
  };
}

export function readSummary(database: Statements): Summary & { teams: number } {
  const { matches, players, teams, pruned_before } = readShard(database);
  const newest = newestMatch(database);
  const isPruned = newest !== undefined && pruned_before !== null && newest < pruned_before;
  return { matches, players, teams, newestMatch: isPruned ? undefined : newest };
}

/**
 * The creation time of the newest match that is whole. It is read from the rows: index entries have no checksum. Damage
 * to matches does not make the shard unavailable, so it is undefined if the latest ones are all damaged.
 */
function newestMatch(database: Statements): number | undefined {
  const entries = database
    .get("SELECT num FROM matches ORDER BY created_at DESC, id DESC LIMIT 5")
    .values() as [number][];
  const times = entries.flatMap(([num]) => {
    try {
      const row = database.row<MatchRow>(`${MATCH_ROW} WHERE num = ?`, num);
      return row && row.checksum === matchChecksum(row) ? row.created_at : [];
    } catch (error) {
      if (asReadError(error, database.database) instanceof DamagedData) return [];
      throw error;
    }
  });
  return times.length === 0 ? undefined : Math.max(...times);
}

export function readBytes(database: Statements): number {
  return database.row<{ bytes: number }>(
    "SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size",
  )!.bytes;
}

/** Counts withheld records with an index scan; only operators need them. */
export function readCounts(database: Statements): Counts {
  const { matches: served, ...summary } = readSummary(database);
  const withheld = noneWithheld();
  const rows = database.get<{ reason: WithheldReason; matches: number }>(
    "SELECT reason, count(*) AS matches FROM withheld GROUP BY reason",
  );
  for (const { reason, matches } of rows.all()) withheld[reason] = matches;
  return { served, withheld, ...summary, bytes: readBytes(database) };
}
