/** Reads and writes what leaderboards are read from. */

import type { RankedTally } from "../../domain/leaderboards.ts";
import { RANKED_MODE } from "../../domain/modes.ts";
import {
  type BoardRow,
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
import { MATCH_ROW, verifyMatch } from "./matches.ts";
import { NAMED_ROWS } from "./players.ts";
import type { Statements } from "./statements.ts";

export const RECENT_ROWS = "SELECT id, played, wins, win_rate, checksum FROM player_recent";

const PUT_RECENT = `INSERT OR REPLACE INTO player_recent (id, played, wins, win_rate, checksum)
  VALUES (?, ?, ?, ?, ?)`;

/** The matches of a range are read in steps: memory is bounded by the number of players. */
const STEP = 500;

export function boardTables(database: Statements) {
  function* rankedRows(from: number, to: number): Generator<MatchRow> {
    for (let after = { created_at: from, id: "" }; ; ) {
      const entries = database
        .get(
          `SELECT num, created_at, id FROM matches INDEXED BY matches_by_mode
           WHERE game_mode = '${RANKED_MODE}' AND (created_at, id) > (?, ?) AND created_at <= ?
           ORDER BY created_at, id LIMIT ${STEP}`,
        )
        .values(after.created_at, after.id, to) as [number, number, string][];
      for (const [num, created_at, id] of entries) {
        const row = database.row<MatchRow>(`${MATCH_ROW} WHERE num = ?`, num);
        if (row?.id !== id) throw new DamagedData("matches", id);
        verifyMatch(row);
        yield row;
        after = { created_at, id };
      }
      if (entries.length < STEP) return;
    }
  }

  return {
    newestServed: () => newestServed(database),

    rankedBetween(from: number, to: number): Map<string, RankedTally> {
      const byNumber = new Map<number, RankedTally>();
      for (const row of rankedRows(from, to)) {
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
      const found = new Map<string, RankedTally>();
      for (const [num, tally] of byNumber) {
        const row = database.row<{ id: string }>("SELECT id FROM players WHERE num = ?", num);
        if (!row) throw new DamagedData("players", `number ${num}`);
        found.set(row.id, tally);
      }
      return found;
    },

    changeRecent(changes: ReadonlyMap<string, RankedTally>): void {
      for (const [id, { played, wins }] of changes) {
        const row = database.row<RecentRow>(`${RECENT_ROWS} WHERE id = ?`, id);
        const before = row ? readRecent(row) : { played: 0, wins: 0 };
        const now = { played: before.played + played, wins: before.wins + wins };
        if (now.played === 0) database.run("DELETE FROM player_recent WHERE id = ?", id);
        else {
          const next = writeRecent(id, now);
          database.run(PUT_RECENT, id, next.played, next.wins, next.win_rate, next.checksum);
        }
      }
    },

    clearRecent(): void {
      database.run("DELETE FROM player_recent");
    },
  };
}

/** Read from the row: index entries have no checksum. */
function newestServed(database: Statements): number | undefined {
  const [entry] = database
    .get("SELECT num, created_at, id FROM matches ORDER BY created_at DESC, id DESC LIMIT 1")
    .values() as [number, number, string][];
  if (!entry) return undefined;
  const [num, createdAt, id] = entry;
  const row = database.row<MatchRow>(`${MATCH_ROW} WHERE num = ?`, num);
  if (row?.id !== id || row.created_at !== createdAt) throw new DamagedData("matches", id);
  verifyMatch(row);
  return createdAt;
}

export function recentOf(
  database: Statements,
  playerIds: readonly string[],
): Map<string, RankedTally> {
  const found = new Map<string, RankedTally>();
  for (const id of playerIds) {
    const row = database.row<RecentRow>(`${RECENT_ROWS} WHERE id = ?`, id);
    if (row) found.set(id, readRecent(row));
  }
  return found;
}

export function readBoard(
  database: Statements,
  { board, period, depth, part }: BoardQuery,
): BoardPart {
  const table = tableOf(board, period);
  const newestMatch = newestServed(database);
  if ("playerIds" in part) {
    const found = part.playerIds.flatMap((id) => entryOf(database, table, id) ?? []);
    const entries = withRanks(found, betterThan(database, table, scoresOf(found), depth), depth);
    return { entries, hasMore: false, newestMatch };
  }
  const { after, limit } = part;
  const better = after ? count(database, table, depth, "> ?", after.score) : 0;
  const equal = after
    ? count(database, table, depth - better, "= ? AND id <= ?", after.score, after.id)
    : 0;
  const before = { better, all: better + equal };
  const found = before.all < depth ? entriesAfter(database, table, part.after, limit + 1) : [];
  verifyOrder(found, after, table);
  return { ...pageOf(found, part, before, depth), newestMatch };
}

/** Two ranges of the index: those with the same score, then those with a lower one. */
function entriesAfter(
  database: Statements,
  table: BoardTable,
  after: { score: number; id: string } | undefined,
  limit: number,
): Scored[] {
  const { table: name, column, isListed, index } = table;
  const read = (where: string, most: number, ...values: (string | number)[]): Scored[] => {
    const entries = database
      .get(
        `SELECT ${column}, id FROM ${name} INDEXED BY ${index} WHERE ${isListed} ${where}
         ORDER BY ${column} DESC, id LIMIT ?`,
      )
      .values(...values, most) as [number, string][];
    return entries.map(([score, id]) => scoreIn(rowOf(database, table, id), table, score));
  };
  if (!after) return read("", limit);
  const same = read(`AND ${column} = ? AND id > ?`, limit, after.score, after.id);
  return same.length === limit
    ? same
    : [...same, ...read(`AND ${column} < ?`, limit - same.length, after.score)];
}

function rowOf(database: Statements, { table }: BoardTable, id: string): BoardRow {
  const num = database.row<{ num: number }>("SELECT num FROM players WHERE id = ?", id)?.num ?? -1;
  // By its number: otherwise SQLite takes the id from the index, and damage stays unseen.
  const player = database.row<NamedRow>(`${NAMED_ROWS.players} WHERE num = ?`, num);
  if (player?.id !== id) throw new DamagedData(table, id);
  verifyNamed("players", player);
  if (table === "players") return { player, recent: undefined };
  const recent = database.row<RecentRow>(`${RECENT_ROWS} WHERE id = ?`, id);
  if (!recent) throw new DamagedData(table, id);
  return { player, recent };
}

/** Undefined if the player is not on the board. */
function entryOf(database: Statements, table: BoardTable, id: string): Scored | undefined {
  const { table: name, column, isListed } = table;
  const listed = database.row<{ score: number }>(
    `SELECT ${column} AS score FROM ${name} WHERE id = ? AND ${isListed}`,
    id,
  );
  return listed ? scoreIn(rowOf(database, table, id), table, listed.score) : undefined;
}

/** How many entries are better than each of these scores, the best first. Counts no more than the depth in all. */
function betterThan(
  database: Statements,
  table: BoardTable,
  scores: readonly number[],
  depth: number,
): Map<number, number> {
  const found = new Map<number, number>();
  let better = 0;
  let last: number | undefined;
  for (const score of scores) {
    const room = depth - better;
    better +=
      last === undefined
        ? count(database, table, room, "> ?", score)
        : count(database, table, room, `> ? AND ${table.column} <= ?`, score, last);
    found.set(score, better);
    last = score;
  }
  return found;
}

/** At most `limit`. */
function count(
  database: Statements,
  { table, column, isListed, index }: BoardTable,
  limit: number,
  where: string,
  ...values: (string | number)[]
): number {
  const [row] = database
    .get(
      `SELECT count(*) FROM (SELECT 1 FROM ${table} INDEXED BY ${index}
         WHERE ${isListed} AND ${column} ${where} LIMIT ?)`,
    )
    .values(...values, limit) as [number][];
  return row![0];
}
