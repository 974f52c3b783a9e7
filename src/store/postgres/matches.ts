/** Reads and writes the match tables within a transaction. */

import type { RowNumbers } from "../core/row-numbers.ts";
import type { TransactionState } from "../core/transaction-state.ts";
import { type MatchRow, matchChecksum, snapshotChecksum, withheldChecksum } from "../row-checks.ts";
import {
  fateOf,
  packResult,
  packResults,
  packServed,
  type RecordRow,
  readRecord,
  resultIn,
  rowOf,
  unpackResult,
} from "../row-encoding.ts";
import { type Engine, run } from "../steps.ts";
import {
  DamagedData,
  type Fate,
  type Fragment,
  type HistoryEntry,
  type MatchEntry,
  type MatchKey,
  type ShardRecord,
  type StoredMatch,
  type WithheldEntry,
} from "../store.ts";
import type { NamedTable } from "../tables.ts";
import { type GivenColumn, insertRows } from "./bulk-write.ts";
import { makePartitions } from "./partitions.ts";
import type { Connection } from "./session.ts";

/** Of {match_documents} AS stored. Casts, because bigint arrives as text. */
export const CHECKED_COLUMNS = `stored.game_mode, stored.patch_version, stored.results,
  stored.document, stored.checksum::float8 AS checksum`;
export const MATCH_COLUMNS = `stored.id, stored.created_at::float8 AS created_at, ${CHECKED_COLUMNS}`;

export const isWhole = (row: MatchRow): boolean => row.checksum === matchChecksum(row);

/** Throws DamagedData unless the row is whole. */
export function verifyMatch(row: MatchRow): void {
  if (!isWhole(row)) throw new DamagedData("match_documents", row.id);
}

type ServedRow = MatchRow &
  RecordRow & {
    listed_mode: string | null;
    listed_patch: string | null;
    snapshot_checksum: number | null;
  };

const SERVED_COLUMNS = `coalesce(stored.id, listed.id) AS id, stored.created_at::float8 AS created_at,
  stored.game_mode, stored.patch_version, stored.content_hash, stored.results, stored.document, stored.checksum::float8 AS checksum,
  listed.game_mode AS listed_mode, listed.patch_version AS listed_patch,
  listed.snapshot, listed.checksum::float8 AS snapshot_checksum, NULL AS reason`;
const WITHHELD_AS_SERVED = `id, created_at::float8, game_mode, patch_version, content_hash,
  NULL::bytea, document, checksum::float8, NULL, NULL, snapshot, NULL::float8, reason`;
const LISTED = `LEFT JOIN {matches} AS listed
  ON listed.created_at = stored.created_at AND listed.id = stored.id`;

type WithheldRow = RecordRow & { checksum: number };

export const WITHHELD_ROWS = `SELECT id, created_at::float8 AS created_at, game_mode, patch_version,
  content_hash, document, snapshot, reason, checksum::float8 AS checksum FROM {withheld} AS withheld`;

function readServed(row: ServedRow): ShardRecord {
  const { id } = row;
  if (row.document === null) throw new DamagedData("match_documents", id);
  verifyMatch(row);
  const isListed =
    row.game_mode === row.listed_mode &&
    row.patch_version === row.listed_patch &&
    isSnapshotOf(id, row.snapshot, row.snapshot_checksum);
  if (!isListed) throw new DamagedData("matches", id);
  return readRecord(row);
}

const isSnapshotOf = (id: string, snapshot: Fragment | null, sum: number | null): boolean =>
  snapshot !== null && sum === snapshotChecksum(id, snapshot);

function readWithheld(row: WithheldRow): ShardRecord {
  if (row.checksum !== withheldChecksum(row)) throw new DamagedData("withheld", row.id);
  return readRecord(row);
}

/** Before every match. */
const BEGINNING: MatchKey = { createdAt: Number.MIN_SAFE_INTEGER, id: "" };

export function matchTables(
  connection: Connection,
  engine: Engine,
  { numbers, added, matches: changes }: TransactionState,
) {
  /** Served matches in order, after a key and before a time. */
  const servedAfter = async (
    { createdAt, id }: MatchKey,
    limit: number,
    before = Number.MAX_SAFE_INTEGER,
  ): Promise<ShardRecord[]> => {
    // The conditions on the time alone let the planner prune partitions.
    const rows = await connection.rows<ServedRow>(
      `SELECT ${SERVED_COLUMNS} FROM
         (SELECT * FROM {matches}
          WHERE created_at >= $1::bigint AND (created_at, id) > ($1::bigint, $2)
            AND created_at < $4::bigint
          ORDER BY created_at, id LIMIT $3) AS listed
       LEFT JOIN {match_documents} AS stored
         ON stored.created_at = listed.created_at AND stored.id = listed.id
       ORDER BY listed.created_at, listed.id`,
      [createdAt, id, limit, before],
    );
    return rows.map(readServed);
  };

  const withheldAfter = async (id: string, limit: number): Promise<ShardRecord[]> => {
    const rows = await connection.rows<WithheldRow>(
      `${WITHHELD_ROWS} WHERE id > $1 ORDER BY id LIMIT $2`,
      [id, limit],
    );
    return rows.map(readWithheld);
  };

  /** Finds the numbers of all players and teams of these matches. */
  async function findNumbers(matches: MatchEntry[]): Promise<void> {
    for (const table of ["players", "teams"] as const) {
      const ids = matches.flatMap((match) => match[table].map(({ id }) => id));
      await run(engine, numbers[table].find(ids));
    }
  }

  const addMatches = (matches: MatchEntry[]) =>
    insertRows(connection, "matches", [
      ...labelColumns(matches),
      { name: "snapshot", type: "bytea", values: matches.map(({ carried }) => carried) },
      {
        name: "checksum",
        type: "bigint",
        values: matches.map(({ id, carried }) => snapshotChecksum(id, carried)),
      },
    ]);

  function addDocuments(matches: MatchEntry[]): Promise<void> {
    const rows = matches.map((match) => ({
      ...rowOf(match),
      results: packResults(match.players, match.teams),
      document: packServed(
        match.players.map(({ id }) => numbers.players.of(id)),
        match.teams.map(({ id }) => numbers.teams.of(id)),
        match.encoded,
      ),
    }));
    return insertRows(connection, "match_documents", [
      ...labelColumns(matches),
      { name: "content_hash", type: "bytea", values: matches.map((match) => match.contentHash) },
      { name: "results", type: "bytea", values: rows.map(({ results }) => results) },
      { name: "document", type: "bytea", values: rows.map(({ document }) => document) },
      { name: "checksum", type: "bigint", values: rows.map(matchChecksum) },
    ]);
  }

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

  /** Newest first. An entry must agree with the match: they are written together, and damaged apart. */
  async function newestEntries(of: NamedTable, id: string, limit: number): Promise<HistoryRow[]> {
    const num = await run(engine, numbers[of].known(id));
    if (num === undefined) return [];
    const { table, column, result } = ENTRY_TABLES[of];
    const rows = await connection.rows<HistoryRow>(
      `SELECT entry.created_at::float8 AS created_at, entry.match_id, entry.${result}::integer AS result,
         stored.created_at::float8 AS stored_at, stored.results,
         substr(stored.document, 1, 4 + 4 * octet_length(stored.results)) AS document
       FROM {${table}} AS entry
       LEFT JOIN {match_documents} AS stored ON stored.id = entry.match_id
       WHERE entry.${column} = $1::integer
       ORDER BY entry.created_at DESC, entry.match_id DESC LIMIT $2`,
      [num, limit],
    );
    for (const { created_at, match_id, stored_at, document, results, result: packed } of rows) {
      const isRight =
        stored_at === created_at &&
        document !== null &&
        results !== null &&
        resultIn({ document, results }, of, num) === packed;
      if (!isRight) throw new DamagedData(table, match_id);
    }
    return rows;
  }

  return {
    async known(ids: string[]): Promise<Map<string, { fate: Fate; contentHash: Uint8Array }>> {
      if (ids.length === 0) return new Map();
      const rows = await connection.rows<Pick<RecordRow, "id" | "content_hash" | "reason">>(
        `SELECT id, content_hash, NULL AS reason FROM {match_documents} WHERE id = ANY($1::text[])
         UNION ALL SELECT id, content_hash, reason FROM {withheld} WHERE id = ANY($1::text[])`,
        [ids],
      );
      return new Map(
        rows.map((row) => [row.id, { fate: fateOf(row.reason), contentHash: row.content_hash }]),
      );
    },

    async load(ids: string[]): Promise<ShardRecord[]> {
      if (ids.length === 0) return [];
      const rows = await connection.rows<ServedRow>(
        `SELECT ${SERVED_COLUMNS} FROM {match_documents} AS stored ${LISTED}
         WHERE stored.id = ANY($1::text[])
         UNION ALL SELECT ${WITHHELD_AS_SERVED} FROM {withheld} AS withheld
         WHERE id = ANY($1::text[])`,
        [ids],
      );
      const asked = new Set(ids);
      return rows.map((row) => {
        if (!asked.has(row.id)) throw new DamagedData("match_documents", row.id);
        return row.reason === null ? readServed(row) : readWithheld(row);
      });
    },

    async records(
      after: { fate: Fate; match: MatchKey } | undefined,
      limit: number,
    ): Promise<ShardRecord[]> {
      if (after?.fate.state === "withheld") return withheldAfter(after.match.id, limit);
      const served = await servedAfter(after?.match ?? BEGINNING, limit);
      const room = limit - served.length;
      return room === 0 ? served : [...served, ...(await withheldAfter("", room))];
    },

    async older(before: number, limit: number): Promise<ShardRecord[]> {
      const served = await servedAfter(BEGINNING, limit, before);
      const room = limit - served.length;
      if (room === 0) return served;
      const rows = await connection.rows<WithheldRow>(
        `${WITHHELD_ROWS} WHERE created_at < $1::bigint LIMIT $2`,
        [before, room],
      );
      return [...served, ...rows.map(readWithheld)];
    },

    async carried(id: string): Promise<Fragment | undefined> {
      const [row] = await connection.rows<{ snapshot: Fragment | null; checksum: number | null }>(
        `SELECT listed.snapshot, listed.checksum::float8 AS checksum
         FROM {match_documents} AS stored ${LISTED} WHERE stored.id = $1`,
        [id],
      );
      if (!row) return undefined;
      if (!isSnapshotOf(id, row.snapshot, row.checksum)) throw new DamagedData("matches", id);
      return row.snapshot!;
    },

    async addServed(matches: MatchEntry[]): Promise<void> {
      if (matches.length === 0) return;
      changes.added(matches);
      const times = matches.map(({ createdAt }) => createdAt);
      await Promise.all([makePartitions(connection, times), findNumbers(matches)]);
      // Pipelined: the statements run in order, without waiting for each.
      await Promise.all([
        addMatches(matches),
        addDocuments(matches),
        addPlayers(matches),
        addTeams(matches),
      ]);
      added.matches += matches.length;
    },

    async removeServed(matches: MatchEntry[]): Promise<void> {
      if (matches.length === 0) return;
      changes.removed(matches);
      await findNumbers(matches);
      for (const whose of ["players", "teams"] as const) {
        const { table, column } = ENTRY_TABLES[whose];
        const { nums, times, ids } = entriesOf(matches, whose, numbers[whose]);
        await connection.run(
          `DELETE FROM {${table}} AS old USING unnest($1::integer[], $2::bigint[], $3::text[])
             AS gone (num, created_at, match_id)
           WHERE old.${column} = gone.num AND old.created_at = gone.created_at
             AND old.match_id = gone.match_id`,
          [nums, times, ids],
        );
      }
      for (const table of ["matches", "match_documents"]) {
        await connection.run(
          `DELETE FROM {${table}} AS old USING unnest($1::text[], $2::bigint[])
             AS gone (id, created_at)
           WHERE old.created_at = gone.created_at AND old.id = gone.id`,
          [matches.map(({ id }) => id), matches.map(({ createdAt }) => createdAt)],
        );
      }
      added.matches -= matches.length;
    },

    async addWithheld(matches: WithheldEntry[]): Promise<void> {
      if (matches.length === 0) return;
      const rows = matches.map((match) => ({
        ...rowOf(match),
        reason: match.reason,
        document: match.encoded,
        snapshot: match.carried,
      }));
      await insertRows(connection, "withheld", [
        ...labelColumns(matches),
        { name: "reason", type: "text", values: matches.map(({ reason }) => reason) },
        { name: "content_hash", type: "bytea", values: matches.map((match) => match.contentHash) },
        { name: "document", type: "bytea", values: rows.map(({ document }) => document) },
        { name: "snapshot", type: "bytea", values: rows.map(({ snapshot }) => snapshot) },
        { name: "checksum", type: "bigint", values: rows.map(withheldChecksum) },
      ]);
    },

    async removeWithheld(ids: string[]): Promise<void> {
      if (ids.length === 0) return;
      await connection.run("DELETE FROM {withheld} WHERE id = ANY($1::text[])", [ids]);
    },

    async playerHistory(playerId: string, limit: number): Promise<HistoryEntry[]> {
      const rows = await newestEntries("players", playerId, limit);
      return rows.map(({ created_at, match_id, result }) => ({
        createdAt: created_at,
        matchId: match_id,
        result: unpackResult(result),
      }));
    },

    async latestOfTeam(teamId: string): Promise<string | undefined> {
      return (await newestEntries("teams", teamId, 1))[0]?.match_id;
    },
  };
}

interface HistoryRow {
  created_at: number;
  match_id: string;
  result: number;
  stored_at: number | null;
  results: Uint8Array | null;
  /** Its beginning, with the numbers. */
  document: Uint8Array | null;
}

const ENTRY_TABLES = {
  players: { table: "player_matches", column: "player", result: "result" },
  teams: { table: "team_matches", column: "team", result: "plays" },
} as const;

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

export async function readBytes(connection: Connection): Promise<number> {
  const [row] = await connection.rows<{ bytes: string }>(
    `SELECT sum(pg_total_relation_size(oid)) AS bytes FROM pg_class
     WHERE relkind = 'r' AND relnamespace = (
       SELECT relnamespace FROM pg_class WHERE oid = '{format}'::regclass)`,
  );
  return Number(row!.bytes);
}
