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
import type { Board, BoardPosition, Period } from "./ranking.ts";

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
    const { table: name, column, isListed } = table;
    const entries = yield* entriesOf(
      table,
      depth,
      `SELECT board.id, board.${column}::float8 AS score,
         (SELECT min(top.place)::float8 FROM top WHERE top.score = board.${column}) AS place
       FROM {${name}} AS board WHERE ${isListed} AND board.id = ANY($2::text[])
       ORDER BY board.${column} DESC, board.id`,
      [part.playerIds],
    );
    return { entries, hasMore: false, newestMatch };
  }
  const { after, limit } = part;
  const found = yield* entriesOf(
    table,
    after ? depth : Math.min(depth, limit + 1),
    `SELECT top.id, top.score::float8 AS score, top.place::float8 AS place FROM top
     ${after ? "WHERE top.score < $3::bigint OR (top.score = $3::bigint AND top.id > $4)" : ""}
     ORDER BY top.score DESC, top.id LIMIT $2`,
    [limit + 1, ...(after ? [after.score, after.id] : [])],
  );
  verifyOrder(found, after, table);
  return { entries: found.slice(0, limit), hasMore: found.length > limit, newestMatch };
}

/** Selects entries from `top`, the first ones of the board with their ranks, and reads their players. */
function* entriesOf(
  table: BoardTable,
  depth: number,
  selected: string,
  values: readonly unknown[],
): Steps<BoardEntry[]> {
  const { table: name, column, isListed } = table;
  const listed = yield* query<{ id: string; score: number; place: number | null }>(
    `WITH top AS MATERIALIZED (
       SELECT best.id, best.score, rank() OVER (ORDER BY best.score DESC) AS place FROM (
         SELECT board.id, board.${column} AS score FROM {${name}} AS board WHERE ${isListed}
         ORDER BY board.${column} DESC, board.id LIMIT $1
       ) AS best
     ) ${selected}`,
    [depth, ...values],
  );
  const players = byId(yield* get(PLAYERS, listed));
  const recents = byId(name === "players" ? [] : yield* get(PLAYER_RECENT, listed));
  return listed.map(({ id, score, place }) => {
    const player = players.get(id);
    const tally = recents.get(id);
    if (!player || (name !== "players" && !tally)) throw new DamagedData(name, id);
    return { ...scoreIn(player, tally, table, score), rank: place ?? undefined };
  });
}

const byId = <Row extends { id: string }>(rows: readonly Row[]) =>
  new Map(rows.map((row) => [row.id, row]));

/** The entry of a player. Throws DamagedData unless the rows say what the index does. */
function scoreIn(
  player: PlayerColumns,
  tally: RecentRow | undefined,
  table: BoardTable,
  score: unknown,
): Omit<BoardEntry, "rank"> {
  const row: Readonly<Record<string, unknown>> = tally ?? player;
  if (typeof score !== "number" || row[table.column] !== score)
    throw new DamagedData(table.table, player.id);
  return { id: player.id, name: player.name, score, played: tally?.played ?? player.played_ranked };
}

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
