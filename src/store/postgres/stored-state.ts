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
import { entriesIn, unpackServed } from "../row-encoding.ts";
import type { DependentPair, ShardContents, StoredState, Transaction } from "../store.ts";
import { RECENT_ROWS } from "./boards.ts";
import { NAMED_ROWS } from "./named-rows.ts";
import type { Connection } from "./session.ts";

const WITH_IDS = "id = ANY($1::text[])";

export function stateTables(
  connection: Connection,
): Omit<StoredState, keyof ShardContents | keyof Transaction> {
  /** Rows that are not whole are omitted. */
  async function named(table: NamedTable, where: string, values: unknown[]): Promise<NamedRow[]> {
    const rows = await connection.rows<NamedRow>(`${NAMED_ROWS[table]} WHERE ${where}`, values);
    return rows.filter((row) => row.checksum === namedChecksum(row));
  }

  async function idsOf(table: NamedTable, nums: number[]): Promise<(num: number) => string> {
    const rows = await connection.rows<{ num: number; id: string }>(
      `SELECT num, id FROM {${table}} WHERE num = ANY($1::integer[])`,
      [[...new Set(nums)]],
    );
    const known = new Map(rows.map(({ num, id }) => [num, id]));
    return (num) => known.get(num) ?? "";
  }

  return {
    async namedIds(kind, afterId, limit) {
      const rows = await connection.rows<{ id: string }>(
        `SELECT id FROM {${kind}} WHERE id > $1 ORDER BY id LIMIT $2`,
        [afterId, limit],
      );
      return rows.map(({ id }) => id);
    },

    playerRows: async (ids) => (await named("players", WITH_IDS, [ids])).map(playerOf),
    playersSeen: async (from, to) =>
      (await named("players", "last_match_at BETWEEN $1 AND $2", [from, to])).map(playerOf),
    teamRows: async (ids) => (await named("teams", WITH_IDS, [ids])).map(teamOf),

    async entriesOf(matchIds) {
      const rows = await connection.rows<{
        id: string;
        results: Uint8Array;
        document: Uint8Array;
      }>(
        `SELECT id, results, substr(document, 1, 4 + 4 * octet_length(results)) AS document
         FROM {match_documents} WHERE id = ANY($1::text[])`,
        [matchIds],
      );
      const nums: Record<NamedTable, number[]> = { players: [], teams: [] };
      for (const { document } of rows) {
        const [players, teams]: [number[], number[]] = [[], []];
        unpackServed(document, players, teams);
        nums.players.push(...players);
        nums.teams.push(...teams);
      }
      const playerId = await idsOf("players", nums.players);
      const teamId = await idsOf("teams", nums.teams);
      return new Map(rows.map((row) => [row.id, entriesIn(row, playerId, teamId)]));
    },

    async evidenceAfter(afterId, limit) {
      const rows = await connection.rows<{ player_id: string; records: number }>(
        `SELECT player_id, records FROM {ranked_evidence} WHERE player_id > $1
         ORDER BY player_id LIMIT $2`,
        [afterId, limit],
      );
      return rows.map((row) => [row.player_id, row.records]);
    },

    async missingDependents(pairs) {
      if (pairs.length === 0) return [];
      const rows = await connection.rows<PairRow>(
        `SELECT asked.player_id, asked.match_id
         FROM unnest($1::text[], $2::text[]) AS asked (player_id, match_id)
         WHERE NOT EXISTS (SELECT 1 FROM {dependents} AS stored
           WHERE stored.player_id = asked.player_id COLLATE "C"
             AND stored.match_id = asked.match_id COLLATE "C")`,
        [pairs.map(([player]) => player), pairs.map(([, match]) => match)],
      );
      return rows.map(pairOf);
    },

    async dependentsAfter(after, limit) {
      const rows = await connection.rows<PairRow>(
        `SELECT player_id, match_id FROM {dependents} WHERE (player_id, match_id) > ($1, $2)
         ORDER BY player_id, match_id LIMIT $3`,
        [...after, limit],
      );
      return rows.map(pairOf);
    },

    async recentAfter(afterId, limit) {
      const rows = await connection.rows<RecentRow>(
        `${RECENT_ROWS} WHERE id > $1 ORDER BY id LIMIT $2`,
        [afterId, limit],
      );
      return rows.map((row) => [row.id, readRecent(row)]);
    },

    async recentOf(playerIds) {
      const rows = await connection.rows<RecentRow>(`${RECENT_ROWS} WHERE ${WITH_IDS}`, [
        playerIds,
      ]);
      return new Map(rows.map((row) => [row.id, readRecent(row)]));
    },

    async vocabularyCounts() {
      const rows = await connection.rows<{ word: string; records: number }>(
        "SELECT word, records FROM {vocabulary}",
      );
      return new Map(rows.map(({ word, records }) => [word, records]));
    },
  };
}

interface PairRow {
  player_id: string;
  match_id: string;
}

const pairOf = (row: PairRow): DependentPair => [row.player_id, row.match_id];
