/** Leaderboards: what they are read from, and the counts of recent ranked matches. */

import type { BoardPosition, RankedTally } from "../../domain/leaderboards.ts";
import { winRate } from "../../domain/leaderboards.ts";
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
import { ask, get, put, query, remove, type Steps } from "../steps.ts";
import { type BoardPart, type BoardQuery, DamagedData } from "../store.ts";
import { PLAYER_RECENT, PLAYERS, type RecentRow } from "../tables.ts";

export const recent = {
  *recentOf(playerIds: string[]): Steps<Map<string, RankedTally>> {
    const rows = yield* get(
      PLAYER_RECENT,
      playerIds.map((id) => ({ id })),
    );
    return new Map(rows.map(({ id, played, wins }) => [id, { played, wins }]));
  },

  *changeRecent(changes: ReadonlyMap<string, RankedTally>): Steps<void> {
    const before = yield* recent.recentOf([...changes.keys()]);
    const now = [...changes].map(([id, by]) => {
      const { played = 0, wins = 0 } = before.get(id) ?? {};
      return recentRow(id, { played: played + by.played, wins: wins + by.wins });
    });
    yield* put(
      PLAYER_RECENT,
      now.filter(({ played }) => played > 0),
    );
    yield* remove(
      PLAYER_RECENT,
      now.filter(({ played }) => played === 0),
    );
  },

  *clearRecent(): Steps<void> {
    yield* ask((engine) => engine.run("DELETE FROM {player_recent}"));
  },
};

export const recentRow = (id: string, tally: RankedTally): RecentRow => ({
  id,
  ...tally,
  win_rate: winRate(tally) ?? null,
});

/** `newestMatch` as in BoardPart. */
export function* readBoard(
  { board, period, depth, part }: BoardQuery,
  newestMatch: number | undefined,
): Steps<BoardPart> {
  const table = tableOf(board, period);
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
    return scoreIn({ player, recent: tally }, table, score);
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
