/** Reads leaderboards in their order, by score and id. Declares and changes the counts of recent ranked matches. */

import { type RankedTally, winRate } from "../../domain/rank.ts";
import { newestServed } from "../../store/core/newest.ts";
import { ask, get, merge, query, type Steps } from "../../store/steps.ts";
import { DamagedData } from "../../store/store.ts";
import {
  declareTable,
  type Index,
  integer,
  nullable,
  type RowIn,
  text,
} from "../../store/table.ts";
import { PLAYERS, type PlayerColumns } from "../../store/tables.ts";
import {
  type Board,
  type BoardPosition,
  type EntriesBefore,
  type Period,
  ranksFrom,
} from "./ranking.ts";

/** The ranked matches of a player in the 28 days. It has ids, because players with equal scores are listed by id. */
export const PLAYER_RECENT = declareTable("player_recent", {
  columns: { id: text, played: integer, wins: integer, win_rate: nullable(integer) },
  key: ["id"],
  isChecked: true,
  indexes: [
    { name: "recent_by_wins", on: "wins DESC, id", where: "wins > 0" },
    { name: "recent_by_win_rate", on: "win_rate DESC, id", where: "win_rate IS NOT NULL" },
  ],
});
type RecentRow = RowIn<typeof PLAYER_RECENT>;

/** All boards over all time. */
export const PLAYER_INDEXES: readonly Index[] = [
  { name: "players_by_tier", on: "skill_tier DESC, id", where: "skill_tier IS NOT NULL" },
  { name: "players_by_ranked_wins", on: "ranked_wins DESC, id", where: "ranked_wins > 0" },
  { name: "players_by_win_rate", on: "win_rate DESC, id", where: "win_rate IS NOT NULL" },
  { name: "players_by_streak", on: "streak DESC, id", where: "streak > 0" },
];

export interface BoardQuery {
  board: Board;
  period: Period;
  /** How many entries are listed, and how far ranks are counted. */
  depth: number;
  /** At most `limit` entries after a position, or the entries of these (distinct) players. */
  part: { after: BoardPosition | undefined; limit: number } | { playerIds: string[] };
}

export interface BoardPart {
  entries: BoardEntry[];
  /** Whether more entries follow within the depth. */
  hasMore: boolean;
  /** The creation time of the newest match, with whose day the 28 days end; undefined without matches. */
  newestMatch: number | undefined;
}

export interface BoardEntry {
  id: string;
  name: string;
  /** A win rate is in millionths. */
  score: number;
  /** The ranked matches that a win rate is about. */
  played: number;
  /** Undefined beyond the depth. */
  rank: number | undefined;
}

/** Adds to the counts. None may end below zero; those without matches are deleted. */
export const changeRecent = (changes: ReadonlyMap<string, RankedTally>): Steps<void> =>
  merge(
    PLAYER_RECENT,
    [...changes].map(([id, by]) => recentRow(id, by)),
    ({ id, ...by }, stored) => {
      const played = by.played + (stored?.played ?? 0);
      const wins = by.wins + (stored?.wins ?? 0);
      return played > 0 ? recentRow(id, { played, wins }) : undefined;
    },
  );

export function* clearRecent(): Steps<void> {
  yield* ask((engine) => engine.run("DELETE FROM {player_recent}"));
}

const recentRow = (id: string, tally: RankedTally): RecentRow => ({
  id,
  ...tally,
  win_rate: winRate(tally) ?? null,
});

/** The best comes first in its index, then the ids. */
interface BoardTable {
  table: "players" | "player_recent";
  column: string;
  /** SQL: whether a row is on the board, and in the index. */
  isListed: string;
}

const board = (table: BoardTable["table"], column: string, isListed: string): BoardTable => ({
  table,
  column,
  isListed: `${column} ${isListed}`,
});

const ALL: Record<Board, BoardTable> = {
  "skill-tier": board("players", "skill_tier", "IS NOT NULL"),
  "ranked-wins": board("players", "ranked_wins", "> 0"),
  "win-rate": board("players", "win_rate", "IS NOT NULL"),
  "win-streak": board("players", "streak", "> 0"),
};

const RECENT: Partial<Record<Board, BoardTable>> = {
  "ranked-wins": board("player_recent", "wins", "> 0"),
  "win-rate": board("player_recent", "win_rate", "IS NOT NULL"),
};

function tableOf(name: Board, period: Period): BoardTable {
  const found = period === "all" ? ALL[name] : RECENT[name];
  if (!found) throw new Error(`there is no board ${name} of the period ${period}`);
  return found;
}

/** A part of a leaderboard, the best first, then by id. The cost grows with the depth. */
export function* readBoard({ board, period, depth, part }: BoardQuery): Steps<BoardPart> {
  const table = tableOf(board, period);
  const newestMatch = yield* newestServed();
  if ("playerIds" in part) {
    const found = yield* entries(table, "AND id = ANY($1::text[])", [part.playerIds]);
    const better = yield* betterThan(table, scoresOf(found), depth);
    return { entries: withRanks(found, better, depth), hasMore: false, newestMatch };
  }
  const { after, limit } = part;
  const better = after ? yield* count(table, depth, "> $2::bigint", [after.score]) : 0;
  const equal = after
    ? yield* count(table, depth - better, "= $2::bigint AND id <= $3", [after.score, after.id])
    : 0;
  const before = { better, all: better + equal };
  const found = before.all < depth ? yield* entriesAfter(table, after, limit + 1) : [];
  verifyOrder(found, after, table);
  return { ...pageOf(found, part, before, depth), newestMatch };
}

/** Two ranges of the index: those with the same score, then those with a lower one. */
function* entriesAfter(
  table: BoardTable,
  after: BoardPosition | undefined,
  limit: number,
): Steps<Scored[]> {
  const { column } = table;
  const inOrder = `ORDER BY board.${column} DESC, board.id LIMIT $1`;
  if (!after) return yield* entries(table, inOrder, [limit]);
  const same = yield* entries(table, `AND ${column} = $2::bigint AND id > $3 ${inOrder}`, [
    limit,
    after.score,
    after.id,
  ]);
  const room = limit - same.length;
  if (room === 0) return same;
  const lower = yield* entries(table, `AND ${column} < $2::bigint ${inOrder}`, [room, after.score]);
  return [...same, ...lower];
}

/** Entries with their players. */
function* entries(table: BoardTable, rest: string, values: unknown[]): Steps<Scored[]> {
  const { table: name, column, isListed } = table;
  const listed = yield* query<{ id: string; score: number }>(
    `SELECT id, ${column}::float8 AS score FROM {${name}} AS board WHERE ${isListed} ${rest}`,
    values,
  );
  const players = byId(yield* get(PLAYERS, listed));
  const recents = byId(name === "players" ? [] : yield* get(PLAYER_RECENT, listed));
  return listed.map(({ id, score }) => {
    const player = players.get(id);
    const tally = recents.get(id);
    if (!player || (name !== "players" && !tally)) throw new DamagedData(name, id);
    return scoreIn(player, tally, table, score);
  });
}

const byId = <Row extends { id: string }>(rows: readonly Row[]) =>
  new Map(rows.map((row) => [row.id, row]));

/** How many entries are better than each of these scores, the best first. Counts no more than the depth in all. */
function* betterThan(
  table: BoardTable,
  scores: readonly number[],
  depth: number,
): Steps<Map<number, number>> {
  const found = new Map<number, number>();
  let better = 0;
  let last = Number.MAX_SAFE_INTEGER;
  for (const score of scores) {
    const range = `> $2::bigint AND ${table.column} <= $3::bigint`;
    better += yield* count(table, depth - better, range, [score, last]);
    found.set(score, better);
    last = score;
  }
  return found;
}

/** At most `limit`. */
function* count(
  { table, column, isListed }: BoardTable,
  limit: number,
  where: string,
  values: unknown[],
): Steps<number> {
  const [row] = yield* query<{ entries: number }>(
    `SELECT count(*)::float8 AS entries FROM (SELECT 1 FROM {${table}} AS board
       WHERE ${isListed} AND ${column} ${where} LIMIT $1) AS found`,
    [limit, ...values],
  );
  return row!.entries;
}

/** The entry of a player. Throws DamagedData unless the rows say what the index does. */
function scoreIn(
  player: PlayerColumns,
  tally: RecentRow | undefined,
  table: BoardTable,
  score: unknown,
): Scored {
  const row: Readonly<Record<string, unknown>> = tally ?? player;
  if (typeof score !== "number" || row[table.column] !== score)
    throw new DamagedData(table.table, player.id);
  return { id: player.id, name: player.name, score, played: tally?.played ?? player.played_ranked };
}

type Scored = Omit<BoardEntry, "rank">;

/** Throws DamagedData unless the entries are in the order of the board, after the position. */
function verifyOrder(
  entries: readonly Scored[],
  after: BoardPosition | undefined,
  { table }: BoardTable,
): void {
  let last = after;
  for (const entry of entries) {
    const follows =
      !last || entry.score < last.score || (entry.score === last.score && entry.id > last.id);
    if (!follows) throw new DamagedData(table, entry.id);
    last = entry;
  }
}

/** A page of entries, given one more than it may have. */
function pageOf(
  found: readonly Scored[],
  { after, limit }: { after: BoardPosition | undefined; limit: number },
  before: EntriesBefore,
  depth: number,
): { entries: BoardEntry[]; hasMore: boolean } {
  const room = Math.min(limit, depth - before.all);
  const ranks = ranksFrom(
    found.map(({ score }) => score),
    after,
    before,
  );
  const entries = found.slice(0, room).map((entry, at) => ({ ...entry, rank: ranks[at]! }));
  const hasMore = found.length > entries.length && before.all + entries.length < depth;
  return { entries, hasMore };
}

/** The best first, with their ranks: `betterThan` has those of each score, at most the depth. */
function withRanks(
  found: readonly Scored[],
  betterThan: ReadonlyMap<number, number>,
  depth: number,
): BoardEntry[] {
  return found
    .toSorted((one, other) => other.score - one.score || (one.id < other.id ? -1 : 1))
    .map((entry) => {
      const better = betterThan.get(entry.score)!;
      return { ...entry, rank: better < depth ? better + 1 : undefined };
    });
}

/** Distinct, the best first. */
const scoresOf = (found: readonly Scored[]): number[] =>
  [...new Set(found.map(({ score }) => score))].sort((one, other) => other - one);
