/** Reads and writes the match tables within a transaction. */

import {
  fateOf,
  packResult,
  packServed,
  type RecordRow,
  readRecord,
  unpackResult,
} from "../row-encoding.ts";
import type {
  Fate,
  Fragment,
  HistoryEntry,
  MatchEntry,
  MatchKey,
  ShardRecord,
  StoredMatch,
  WithheldEntry,
} from "../store.ts";
import { type GivenColumn, insertRows } from "./bulk-write.ts";
import type { Partitions } from "./partitions.ts";
import type { NamedTable, RowNumbers } from "./players.ts";
import type { Connection } from "./session.ts";

const RECORD = "id, created_at, game_mode, patch_version, content_hash, carried AS snapshot";
const SERVED_RECORD = `${RECORD}, served AS document, NULL AS reason`;
const WITHHELD_RECORD = `${RECORD}, sheet AS document, reason`;
const SERVED = "{sheets} JOIN {matches} USING (created_at, id)";

/** Before every match. */
const BEGINNING: MatchKey = { createdAt: Number.MIN_SAFE_INTEGER, id: "" };

export function matchTables(
  connection: Connection,
  numbers: Record<NamedTable, RowNumbers>,
  partitions: Partitions,
) {
  /** Served matches added minus removed. */
  let added = 0;

  const records = async (sql: string, values: unknown[]): Promise<ShardRecord[]> =>
    (await connection.rows<RecordRow>(sql, values)).map(readRecord);

  const withheldAfter = (id: string, limit: number) =>
    records(`SELECT ${WITHHELD_RECORD} FROM {withheld} WHERE id > $1 ORDER BY id LIMIT $2`, [
      id,
      limit,
    ]);

  /** Finds the numbers of all players and teams of these matches. */
  async function findNumbers(matches: MatchEntry[]): Promise<void> {
    for (const table of ["players", "teams"] as const) {
      await numbers[table].find(matches.flatMap((match) => match[table].map(({ id }) => id)));
    }
  }

  const addMatches = (matches: MatchEntry[]) =>
    insertRows(connection, "matches", [
      ...labelColumns(matches),
      { name: "carried", type: "bytea", values: matches.map(({ carried }) => carried) },
    ]);

  const addSheets = (matches: MatchEntry[]) =>
    insertRows(connection, "sheets", [
      { name: "id", type: "text", values: matches.map(({ id }) => id) },
      { name: "created_at", type: "bigint", values: matches.map(({ createdAt }) => createdAt) },
      { name: "content_hash", type: "bytea", values: matches.map((match) => match.contentHash) },
      {
        name: "served",
        type: "bytea",
        values: matches.map(({ players, teams, encoded }) =>
          packServed(
            players.map(({ id }) => numbers.players.of(id)),
            teams.map(({ id }) => numbers.teams.of(id)),
            encoded,
          ),
        ),
      },
    ]);

  async function addPlayers(matches: MatchEntry[]): Promise<void> {
    const entries = entriesOf(matches, "players", numbers.players);
    if (entries.nums.length === 0) return;
    const results = matches.flatMap(({ players }) =>
      players.map(({ result }) => packResult(result)),
    );
    await insertRows(connection, "player_matches", [
      { name: "player", type: "integer", values: entries.nums },
      { name: "created_at", type: "bigint", values: entries.times },
      { name: "match_id", type: "text", values: entries.ids },
      { name: "result", type: "smallint", values: results },
    ]);
  }

  async function addTeams(matches: MatchEntry[]): Promise<void> {
    const entries = entriesOf(matches, "teams", numbers.teams);
    if (entries.nums.length === 0) return;
    const plays = matches.flatMap(({ teams }) => teams.map((team) => team.plays));
    await insertRows(connection, "team_matches", [
      { name: "team", type: "integer", values: entries.nums },
      { name: "created_at", type: "bigint", values: entries.times },
      { name: "match_id", type: "text", values: entries.ids },
      { name: "plays", type: "boolean", values: plays },
    ]);
  }

  const transaction = {
    async known(ids: string[]): Promise<Map<string, { fate: Fate; contentHash: Uint8Array }>> {
      if (ids.length === 0) return new Map();
      const rows = await connection.rows<Pick<RecordRow, "id" | "content_hash" | "reason">>(
        `SELECT id, content_hash, NULL AS reason FROM {sheets} WHERE id = ANY($1::text[])
         UNION ALL SELECT id, content_hash, reason FROM {withheld} WHERE id = ANY($1::text[])`,
        [ids],
      );
      return new Map(
        rows.map((row) => [row.id, { fate: fateOf(row.reason), contentHash: row.content_hash }]),
      );
    },

    async load(ids: string[]): Promise<ShardRecord[]> {
      if (ids.length === 0) return [];
      return records(
        `SELECT ${SERVED_RECORD} FROM ${SERVED} WHERE id = ANY($1::text[])
         UNION ALL SELECT ${WITHHELD_RECORD} FROM {withheld} WHERE id = ANY($1::text[])`,
        [ids],
      );
    },

    async records(
      after: { fate: Fate; match: MatchKey } | undefined,
      limit: number,
    ): Promise<ShardRecord[]> {
      if (after?.fate.state === "withheld") return withheldAfter(after.match.id, limit);
      const { createdAt, id } = after?.match ?? BEGINNING;
      // The condition on the time alone lets the planner prune partitions.
      const served = await records(
        `SELECT ${SERVED_RECORD} FROM
           (SELECT * FROM {matches}
            WHERE created_at >= $1::bigint AND (created_at, id) > ($1::bigint, $2)
            ORDER BY created_at, id LIMIT $3) AS next
         JOIN {sheets} USING (created_at, id) ORDER BY created_at, id`,
        [createdAt, id, limit],
      );
      const room = limit - served.length;
      return room === 0 ? served : [...served, ...(await withheldAfter("", room))];
    },

    async carried(id: string): Promise<Fragment | undefined> {
      const [row] = await connection.rows<{ carried: Uint8Array }>(
        `SELECT carried FROM ${SERVED} WHERE id = $1`,
        [id],
      );
      return row?.carried;
    },

    async addServed(matches: MatchEntry[]): Promise<void> {
      if (matches.length === 0) return;
      await partitions.makeFor(
        connection,
        matches.map(({ createdAt }) => createdAt),
      );
      await findNumbers(matches);
      // Pipelined: the statements run in order, without waiting for each.
      await Promise.all([
        addMatches(matches),
        addSheets(matches),
        addPlayers(matches),
        addTeams(matches),
      ]);
      added += matches.length;
    },

    async removeServed(matches: MatchEntry[]): Promise<void> {
      if (matches.length === 0) return;
      await findNumbers(matches);
      for (const [table, column, whose] of ENTRY_TABLES) {
        const { nums, times, ids } = entriesOf(matches, whose, numbers[whose]);
        await connection.run(
          `DELETE FROM {${table}} AS old USING unnest($1::integer[], $2::bigint[], $3::text[])
             AS gone (num, created_at, match_id)
           WHERE old.${column} = gone.num AND old.created_at = gone.created_at
             AND old.match_id = gone.match_id`,
          [nums, times, ids],
        );
      }
      for (const table of ["matches", "sheets"]) {
        await connection.run(
          `DELETE FROM {${table}} AS old USING unnest($1::text[], $2::bigint[])
             AS gone (id, created_at)
           WHERE old.created_at = gone.created_at AND old.id = gone.id`,
          [matches.map(({ id }) => id), matches.map(({ createdAt }) => createdAt)],
        );
      }
      added -= matches.length;
    },

    async addWithheld(matches: WithheldEntry[]): Promise<void> {
      if (matches.length === 0) return;
      await insertRows(connection, "withheld", [
        ...labelColumns(matches),
        { name: "reason", type: "text", values: matches.map(({ reason }) => reason) },
        { name: "content_hash", type: "bytea", values: matches.map((match) => match.contentHash) },
        { name: "sheet", type: "bytea", values: matches.map(({ encoded }) => encoded) },
        { name: "carried", type: "bytea", values: matches.map(({ carried }) => carried) },
      ]);
    },

    async removeWithheld(ids: string[]): Promise<void> {
      if (ids.length === 0) return;
      await connection.run("DELETE FROM {withheld} WHERE id = ANY($1::text[])", [ids]);
    },

    async playerHistory(playerId: string, limit: number): Promise<HistoryEntry[]> {
      const rows = await connection.rows<{ created_at: string; match_id: string; result: number }>(
        `SELECT created_at, match_id, result FROM {player_matches}
         WHERE player = $1::integer ORDER BY created_at DESC, match_id DESC LIMIT $2`,
        [(await numbers.players.known(playerId)) ?? null, limit],
      );
      return rows.map((row) => ({
        createdAt: Number(row.created_at),
        matchId: row.match_id,
        result: unpackResult(row.result),
      }));
    },

    async latestOfTeam(teamId: string): Promise<string | undefined> {
      const [row] = await connection.rows<{ match_id: string }>(
        `SELECT match_id FROM {team_matches} WHERE team = $1::integer
         ORDER BY created_at DESC, match_id DESC LIMIT 1`,
        [(await numbers.teams.known(teamId)) ?? null],
      );
      return row?.match_id;
    },
  };

  return { transaction, added: () => added };
}

const ENTRY_TABLES = [
  ["player_matches", "player", "players"],
  ["team_matches", "team", "teams"],
] as const;

/** The columns that records are found by. */
function labelColumns(matches: readonly StoredMatch[]): GivenColumn[] {
  return [
    { name: "id", type: "text", values: matches.map(({ id }) => id) },
    { name: "created_at", type: "bigint", values: matches.map(({ createdAt }) => createdAt) },
    { name: "game_mode", type: "text", values: matches.map(({ gameMode }) => gameMode) },
    { name: "patch_version", type: "text", values: matches.map((match) => match.patchVersion) },
  ];
}

/** The players or teams of these matches, as columns. Their numbers must be known. */
function entriesOf(matches: MatchEntry[], whose: NamedTable, numbers: RowNumbers) {
  const entries = matches.flatMap((match) =>
    match[whose].map(({ id }) => ({ num: numbers.of(id), match })),
  );
  return {
    nums: entries.map(({ num }) => num),
    times: entries.map(({ match }) => match.createdAt),
    ids: entries.map(({ match }) => match.id),
  };
}
