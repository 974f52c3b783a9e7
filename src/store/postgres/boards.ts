/** Reads and writes what leaderboards are read from. */

import type { BoardPosition, RankedTally } from "../../domain/leaderboards.ts";
import { RANKED_MODE } from "../../domain/modes.ts";
import {
  type BoardTable,
  pageOf,
  type Scored,
  scoreIn,
  scoresOf,
  tableOf,
  verifyOrder,
  withRanks,
} from "../board-tables.ts";
import {
  type MatchRow,
  type NamedRow,
  type RecentRow,
  readRecent,
  verifyNamed,
  writeRecent,
} from "../row-checks.ts";
import { someResult, unpackResult } from "../row-encoding.ts";
import { type BoardPart, type BoardQuery, DamagedData } from "../store.ts";
import { insertRows } from "./bulk-write.ts";
import { MATCH_COLUMNS, verifyMatch } from "./matches.ts";
import { NAMED_COLUMNS } from "./named-rows.ts";
import type { Connection } from "./session.ts";

/** A cast, because bigint arrives as text. */
export const RECENT_ROWS = `SELECT id, played, wins, win_rate, checksum::float8 AS checksum
  FROM {player_recent} AS player_recent`;

/** The matches of a range are read in steps: memory is bounded by the number of players. */
const STEP = 500;

export function boardTables(connection: Connection) {
  async function* rankedRows(from: number, to: number): AsyncGenerator<MatchRow> {
    for (let after = { created_at: from, id: "" }; ; ) {
      const rows = await connection.rows<MatchRow>(
        `SELECT ${MATCH_COLUMNS} FROM
           (SELECT created_at, id FROM {matches}
            WHERE game_mode = '${RANKED_MODE}' AND created_at >= $1::bigint
              AND (created_at, id) > ($1::bigint, $2) AND created_at <= $3::bigint
            ORDER BY created_at, id LIMIT ${STEP}) AS listed
         JOIN {match_documents} AS stored ON stored.id = listed.id
         ORDER BY listed.created_at, listed.id`,
        [after.created_at, after.id, to],
      );
      for (const row of rows) {
        verifyMatch(row);
        yield row;
        after = row;
      }
      if (rows.length < STEP) return;
    }
  }

  return {
    newestServed: () => newestServed(connection),

    async rankedBetween(from: number, to: number): Promise<Map<string, RankedTally>> {
      const byNumber = new Map<number, RankedTally>();
      for await (const row of rankedRows(from, to)) {
        someResult(row, "players", (num, packed) => {
          const result = unpackResult(packed);
          if (result === "named") return false;
          const tally = byNumber.get(num) ?? { played: 0, wins: 0 };
          tally.played += 1;
          if (result === "won") tally.wins += 1;
          byNumber.set(num, tally);
          return false;
        });
      }
      if (byNumber.size === 0) return new Map();
      const rows = await connection.rows<{ num: number; id: string }>(
        "SELECT num, id FROM {players} WHERE num = ANY($1::integer[])",
        [[...byNumber.keys()]],
      );
      const ids = new Map(rows.map(({ num, id }) => [num, id]));
      return new Map(
        [...byNumber].map(([num, tally]) => {
          const id = ids.get(num);
          if (id === undefined) throw new DamagedData("players", `number ${num}`);
          return [id, tally];
        }),
      );
    },

    async changeRecent(changes: ReadonlyMap<string, RankedTally>): Promise<void> {
      if (changes.size === 0) return;
      const ids = [...changes.keys()];
      const rows = await connection.rows<RecentRow>(`${RECENT_ROWS} WHERE id = ANY($1::text[])`, [
        ids,
      ]);
      if (rows.length > 0) {
        await connection.run("DELETE FROM {player_recent} WHERE id = ANY($1::text[])", [ids]);
      }
      const before = new Map(rows.map((row) => [row.id, readRecent(row)]));
      const now = [...changes].flatMap(([id, by]) => {
        const { played = 0, wins = 0 } = before.get(id) ?? {};
        const tally = { played: played + by.played, wins: wins + by.wins };
        return tally.played === 0 ? [] : writeRecent(id, tally);
      });
      if (now.length === 0) return;
      await insertRows(connection, "player_recent", [
        { name: "id", type: "text", values: now.map(({ id }) => id) },
        { name: "played", type: "integer", values: now.map(({ played }) => played) },
        { name: "wins", type: "integer", values: now.map(({ wins }) => wins) },
        { name: "win_rate", type: "integer", values: now.map((row) => row.win_rate) },
        { name: "checksum", type: "bigint", values: now.map((row) => row.checksum) },
      ]);
    },

    async clearRecent(): Promise<void> {
      await connection.run("DELETE FROM {player_recent}");
    },
  };
}

/** Read from the document: index entries have no checksum. */
async function newestServed(connection: Connection): Promise<number | undefined> {
  const [row] = await connection.rows<MatchRow & { listed_id: string }>(
    `SELECT ${MATCH_COLUMNS}, listed.id AS listed_id
     FROM (SELECT id FROM {matches} ORDER BY created_at DESC, id DESC LIMIT 1) AS listed
     LEFT JOIN {match_documents} AS stored ON stored.id = listed.id`,
  );
  if (!row) return undefined;
  if (row.id === null) throw new DamagedData("matches", row.listed_id);
  verifyMatch(row);
  return row.created_at;
}

export async function readBoard(
  connection: Connection,
  { board, period, depth, part }: BoardQuery,
): Promise<BoardPart> {
  const table = tableOf(board, period);
  const newestMatch = await newestServed(connection);
  if ("playerIds" in part) {
    const found = await read(connection, table, "AND board.id = ANY($1::text[])", [part.playerIds]);
    const better = await betterThan(connection, table, scoresOf(found), depth);
    return { entries: withRanks(found, better, depth), hasMore: false, newestMatch };
  }
  const { after, limit } = part;
  const before = await entriesBefore(connection, table, after, depth);
  const found = before.all < depth ? await entriesAfter(connection, table, after, limit + 1) : [];
  verifyOrder(found, after, table);
  return { ...pageOf(found, part, before, depth), newestMatch };
}

async function entriesBefore(
  connection: Connection,
  table: BoardTable,
  after: BoardPosition | undefined,
  depth: number,
) {
  if (!after) return { better: 0, all: 0 };
  const better = await count(connection, table, depth, "> $2::bigint", [after.score]);
  const equal = await count(connection, table, depth - better, "= $2::bigint AND board.id <= $3", [
    after.score,
    after.id,
  ]);
  return { better, all: better + equal };
}

/** Two ranges of the index: those with the same score, then those with a lower one. */
async function entriesAfter(
  connection: Connection,
  table: BoardTable,
  after: BoardPosition | undefined,
  limit: number,
): Promise<Scored[]> {
  const column = `board.${table.column}`;
  const inOrder = `ORDER BY ${column} DESC, board.id LIMIT $1::integer`;
  if (!after) return read(connection, table, inOrder, [limit]);
  const same = await read(
    connection,
    table,
    `AND ${column} = $2::bigint AND board.id > $3 ${inOrder}`,
    [limit, after.score, after.id],
  );
  const room = limit - same.length;
  if (room === 0) return same;
  const lower = await read(connection, table, `AND ${column} < $2::bigint ${inOrder}`, [
    room,
    after.score,
  ]);
  return [...same, ...lower];
}

type ReadRow = NamedRow & {
  listed_id: string;
  score: number;
  recent_played: number | null;
  recent_wins: number | null;
  recent_rate: number | null;
  recent_checksum: number | null;
};

/** Entries with their players. */
async function read(
  connection: Connection,
  table: BoardTable,
  rest: string,
  values: unknown[],
): Promise<Scored[]> {
  const { table: name, column, isListed } = table;
  const recent =
    name === "players"
      ? "NULL"
      : "board.played AS recent_played, board.wins AS recent_wins, board.win_rate AS recent_rate, board.checksum::float8 AS recent_checksum";
  const rows = await connection.rows<ReadRow>(
    `SELECT listed.*, player.* FROM
       (SELECT board.id AS listed_id, board.${column}::float8 AS score, ${recent}
        FROM {${name}} AS board WHERE board.${isListed} ${rest}) AS listed
     LEFT JOIN LATERAL (SELECT ${NAMED_COLUMNS.players} FROM {players} AS players
       WHERE players.id = listed.listed_id) AS player ON true
     ORDER BY listed.score DESC, listed.listed_id`,
    values,
  );
  return rows.map((row) => {
    if (row.id === null) throw new DamagedData(name, row.listed_id);
    verifyNamed("players", row);
    return scoreIn({ player: row, recent: recentIn(row, table) }, table, row.score);
  });
}

const recentIn = (row: ReadRow, { table }: BoardTable): RecentRow | undefined =>
  table === "players"
    ? undefined
    : {
        id: row.id,
        played: row.recent_played!,
        wins: row.recent_wins!,
        win_rate: row.recent_rate,
        checksum: row.recent_checksum!,
      };

/** How many entries are better than each of these scores, the best first. Counts no more than the depth in all. */
async function betterThan(
  connection: Connection,
  table: BoardTable,
  scores: readonly number[],
  depth: number,
): Promise<Map<number, number>> {
  const found = new Map<number, number>();
  let better = 0;
  let last = Number.MAX_SAFE_INTEGER;
  for (const score of scores) {
    better += await count(
      connection,
      table,
      depth - better,
      `> $2::bigint AND board.${table.column} <= $3::bigint`,
      [score, last],
    );
    found.set(score, better);
    last = score;
  }
  return found;
}

/** At most `limit`. */
async function count(
  connection: Connection,
  { table, column, isListed }: BoardTable,
  limit: number,
  where: string,
  values: unknown[],
): Promise<number> {
  const [row] = await connection.rows<{ entries: number }>(
    `SELECT count(*)::float8 AS entries FROM (SELECT 1 FROM {${table}} AS board
       WHERE board.${isListed} AND board.${column} ${where} LIMIT $1::integer) AS found`,
    [limit, ...values],
  );
  return row!.entries;
}
