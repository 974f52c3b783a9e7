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
import { PLAYERS } from "../../store/tables.ts";
import type { Board, BoardPosition, Period } from "./ranking.ts";

/** The best comes first in its index, then the ids. */
interface BoardTable {
  table: "players" | "player_recent";
  column: string;
  /** SQL: whether a row is on the board, and in the index. */
  isListed: string;
  index: string;
}

const board = (
  table: BoardTable["table"],
  index: string,
  column: string,
  isListed: string,
): BoardTable => ({ table, index, column, isListed: `${column} ${isListed}` });

const ALL: Record<Board, BoardTable> = {
  "skill-tier": board("players", "players_by_tier", "skill_tier", "IS NOT NULL"),
  "ranked-wins": board("players", "players_by_ranked_wins", "ranked_wins", "> 0"),
  "win-rate": board("players", "players_by_win_rate", "win_rate", "IS NOT NULL"),
  "win-streak": board("players", "players_by_streak", "streak", "> 0"),
};

const RECENT: Partial<Record<Board, BoardTable>> = {
  "ranked-wins": board("player_recent", "recent_by_wins", "wins", "> 0"),
  "win-rate": board("player_recent", "recent_by_win_rate", "win_rate", "IS NOT NULL"),
};

const indexesOf = (boards: Partial<Record<Board, BoardTable>>): Index[] =>
  Object.values(boards).map(({ index, column, isListed }) => ({
    name: index,
    on: `${column} DESC, id`,
    where: isListed,
  }));

/** The ranked matches of a player in the 28 days. It has ids, because players with equal scores are listed by id. */
export const PLAYER_RECENT = declareTable("player_recent", {
  columns: { id: text, played: integer, wins: integer, win_rate: nullable(integer) },
  key: ["id"],
  isChecked: true,
  indexes: indexesOf(RECENT),
});
type RecentRow = RowIn<typeof PLAYER_RECENT>;

export const PLAYER_INDEXES = indexesOf(ALL);

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

/** A part of a leaderboard, the best first, then by id. The cost grows with the depth. */
export function* readBoard({ board, period, depth, part }: BoardQuery): Steps<BoardPart> {
  // The check of the parameters allows no other boards with that period.
  const table = (period === "all" ? ALL : RECENT)[board]!;
  const newestMatch = yield* newestServed();
  if ("playerIds" in part) {
    const entries = yield* entriesOf(table, yield* playersOn(table, depth, part.playerIds));
    return { entries, hasMore: false, newestMatch };
  }
  const { after, limit } = part;
  const listed = yield* listedAfter(table, depth, after, limit + 1);
  const found = yield* entriesOf(table, listed);
  verifyOrder(found, after, table);
  return { entries: found.slice(0, limit), hasMore: found.length > limit, newestMatch };
}

/** Those of these players who are on the board. */
function* playersOn(
  { table, column, isListed }: BoardTable,
  depth: number,
  playerIds: readonly string[],
): Steps<RankedId[]> {
  const listed = yield* query<{ id: string; score: number; better: number }>(
    `SELECT board.id, board.${column}::float8 AS score, (SELECT count(*)::float8 FROM
       (SELECT 1 FROM {${table}} WHERE ${isListed} AND ${column} > board.${column} LIMIT $2) AS other) AS better
     FROM {${table}} AS board WHERE ${isListed} AND board.id = ANY($1::text[])
     ORDER BY board.${column} DESC, board.id`,
    [playerIds, depth],
  );
  return listed.map(({ id, score, better }) => ({
    id,
    score,
    rank: better < depth ? better + 1 : undefined,
  }));
}

/** The next players after a position, within the depth. */
function* listedAfter(
  { table, column, isListed }: BoardTable,
  depth: number,
  after: BoardPosition | undefined,
  limit: number,
): Steps<RankedId[]> {
  const best = `{${table}} AS board WHERE ${isListed}`;
  let [before, better] = [0, 0];
  if (after) {
    const [counts] = yield* query<{ before: number; better: number }>(
      `SELECT count(*)::float8 AS before, count(*) FILTER (WHERE score > $1::bigint)::float8 AS better FROM
         (SELECT board.${column} AS score FROM ${best} AND board.${column} >= $1::bigint
            AND (board.${column} > $1::bigint OR board.id <= $2) LIMIT $3) AS first`,
      [after.score, after.id, depth],
    );
    ({ before, better } = counts!);
  }
  const listed = yield* query<{ id: string; score: number }>(
    `SELECT board.id, board.${column}::float8 AS score FROM ${best}
     ${after ? `AND board.${column} <= $2::bigint AND (board.${column} < $2::bigint OR board.id > $3)` : ""}
     ORDER BY board.${column} DESC, board.id LIMIT $1`,
    [Math.min(limit, depth - before), ...(after ? [after.score, after.id] : [])],
  );
  let last = after?.score;
  return listed.map(({ id, score }, at) => {
    if (score !== last) better = before + at;
    last = score;
    return { id, score, rank: better + 1 };
  });
}

/** What an index says of a player. */
type RankedId = Pick<BoardEntry, "id" | "score" | "rank">;

/** The entries of these players, whose rows are read. */
function* entriesOf(
  { table, column }: BoardTable,
  listed: readonly RankedId[],
): Steps<BoardEntry[]> {
  const players = byId(yield* get(PLAYERS, listed));
  const recents = byId(table === "players" ? [] : yield* get(PLAYER_RECENT, listed));
  return listed.map(({ id, score, rank }) => {
    const player = players.get(id);
    const tally = recents.get(id);
    const row: Readonly<Record<string, unknown>> | undefined = table === "players" ? player : tally;
    // They must say what the index does.
    if (!player || row?.[column] !== score) throw new DamagedData(table, id);
    return { id, name: player.name, score, played: tally?.played ?? player.played_ranked, rank };
  });
}

const byId = <Row extends { id: string }>(rows: readonly Row[]) =>
  new Map(rows.map((row) => [row.id, row]));

/** Throws DamagedData unless the entries are in the order of the board, after the position. */
function verifyOrder(
  entries: readonly BoardEntry[],
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
