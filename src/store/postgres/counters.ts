/** Counters: ranked evidence, dependents, vocabulary and totals. */

import { noneWithheld, type WithheldReason } from "../../domain/visibility.ts";
import type { MatchRow } from "../row-checks.ts";
import type { Counts, Summary } from "../store.ts";
import { isWhole, MATCH_COLUMNS } from "./matches.ts";
import type { Connection } from "./session.ts";

export function counterTables(connection: Connection) {
  /** Changes counters. Those that reach zero are deleted. */
  async function change(
    table: string,
    key: string,
    changes: ReadonlyMap<string, number>,
  ): Promise<void> {
    if (changes.size === 0) return;
    const names = [...changes.keys()];
    await connection.run(
      `INSERT INTO {${table}} AS old (${key}, records)
       SELECT * FROM unnest($1::text[], $2::integer[])
       ON CONFLICT (${key}) DO UPDATE SET records = old.records + excluded.records`,
      [names, [...changes.values()]],
    );
    if ([...changes.values()].every((by) => by >= 0)) return;
    await connection.run(`DELETE FROM {${table}} WHERE ${key} = ANY($1::text[]) AND records <= 0`, [
      names,
    ]);
  }

  return {
    async rankedEvidence(playerIds: string[]): Promise<Map<string, number>> {
      if (playerIds.length === 0) return new Map();
      const rows = await connection.rows<{ player_id: string; records: number }>(
        "SELECT player_id, records FROM {ranked_evidence} WHERE player_id = ANY($1::text[])",
        [playerIds],
      );
      return new Map(rows.map((row) => [row.player_id, row.records]));
    },

    changeRankedEvidence: (changes: ReadonlyMap<string, number>) =>
      change("ranked_evidence", "player_id", changes),

    async dependents(playerIds: string[]): Promise<string[]> {
      if (playerIds.length === 0) return [];
      const rows = await connection.rows<{ match_id: string }>(
        "SELECT DISTINCT match_id FROM {dependents} WHERE player_id = ANY($1::text[])",
        [playerIds],
      );
      return rows.map((row) => row.match_id);
    },

    async addDependents(pairs: [string, string][]): Promise<void> {
      if (pairs.length === 0) return;
      await connection.run(
        "INSERT INTO {dependents} (player_id, match_id) SELECT * FROM unnest($1::text[], $2::text[])",
        columnsOf(pairs),
      );
    },

    async removeDependents(pairs: [string, string][]): Promise<void> {
      if (pairs.length === 0) return;
      await connection.run(
        `DELETE FROM {dependents} AS old
         USING unnest($1::text[], $2::text[]) AS gone (player, match)
         WHERE old.player_id = gone.player AND old.match_id = gone.match`,
        columnsOf(pairs),
      );
    },

    changeVocabulary: (changes: ReadonlyMap<string, number>) =>
      change("vocabulary", "word", changes),
  };
}

function columnsOf(pairs: readonly [string, string][]): [string[], string[]] {
  return [pairs.map(([one]) => one), pairs.map(([, other]) => other)];
}

export async function readSummary(connection: Connection): Promise<Summary & { teams: number }> {
  const [row] = await connection.rows<
    Record<"matches" | "players" | "teams", string> & { cutoff: number | null }
  >("SELECT matches, players, teams, pruned_before::float8 AS cutoff FROM {shard} AS shard");
  const newest = await newestMatch(connection);
  const { cutoff } = row!;
  const isPruned = newest !== undefined && cutoff !== null && newest < cutoff;
  return {
    matches: Number(row!.matches),
    players: Number(row!.players),
    teams: Number(row!.teams),
    newestMatch: isPruned ? undefined : newest,
  };
}

/**
 * The creation time of the newest match that is whole. It is read from the documents: index entries have no checksum.
 * Damage to matches does not make the shard unavailable, so it is undefined if the latest ones are all damaged.
 */
async function newestMatch(connection: Connection): Promise<number | undefined> {
  const rows = await connection.rows<MatchRow>(
    `SELECT ${MATCH_COLUMNS}
     FROM (SELECT id FROM {matches} ORDER BY created_at DESC, id DESC LIMIT 5) AS listed
     JOIN {match_documents} AS stored ON stored.id = listed.id`,
  );
  const times = rows.filter(isWhole).map((row) => row.created_at);
  return times.length === 0 ? undefined : Math.max(...times);
}

export async function readBytes(connection: Connection): Promise<number> {
  const [row] = await connection.rows<{ bytes: string }>(
    `SELECT sum(pg_total_relation_size(oid)) AS bytes FROM pg_class
     WHERE relkind = 'r' AND relnamespace = (
       SELECT relnamespace FROM pg_class WHERE oid = '{format}'::regclass)`,
  );
  return Number(row!.bytes);
}

/** Counts withheld records with an index scan; only operators need them. */
export async function readCounts(connection: Connection): Promise<Counts> {
  const { matches: served, ...summary } = await readSummary(connection);
  const withheld = noneWithheld();
  const rows = await connection.rows<{ reason: WithheldReason; matches: string }>(
    "SELECT reason, count(*) AS matches FROM {withheld} GROUP BY reason",
  );
  for (const { reason, matches } of rows) withheld[reason] = Number(matches);
  return { served, withheld, ...summary, bytes: await readBytes(connection) };
}
