/** Where leaderboards are stored, for both adapters, and how what is read of them becomes entries. */

import {
  type Board,
  type BoardPosition,
  type EntriesBefore,
  type Period,
  type RankedTally,
  ranksFrom,
} from "../domain/leaderboards.ts";
import { type NamedRow, type RecentRow, readRecent } from "./row-checks.ts";
import { type BoardEntry, DamagedData } from "./store.ts";

/** The best comes first in its index, then the ids. */
export interface BoardTable {
  table: "players" | "player_recent";
  column: string;
  /** SQL: whether a row is on the board, and in the index. */
  isListed: string;
  /** The name in SQLite. */
  index: string;
}

const board = (
  table: BoardTable["table"],
  column: string,
  isListed: string,
  index: string,
): BoardTable => ({ table, column, isListed: `${column} ${isListed}`, index });

const ALL: Record<Board, BoardTable> = {
  "skill-tier": board("players", "skill_tier", "IS NOT NULL", "players_by_tier"),
  "ranked-wins": board("players", "ranked_wins", "> 0", "players_by_ranked_wins"),
  "win-rate": board("players", "win_rate", "IS NOT NULL", "players_by_win_rate"),
  "win-streak": board("players", "streak", "> 0", "players_by_streak"),
};

const RECENT: Partial<Record<Board, BoardTable>> = {
  "ranked-wins": board("player_recent", "wins", "> 0", "recent_by_wins"),
  "win-rate": board("player_recent", "win_rate", "IS NOT NULL", "recent_by_win_rate"),
};

export const BOARD_TABLES: readonly BoardTable[] = [
  ...Object.values(ALL),
  ...Object.values(RECENT),
];

export function tableOf(name: Board, period: Period): BoardTable {
  const found = period === "all" ? ALL[name] : RECENT[name];
  if (!found) throw new Error(`there is no board ${name} of the period ${period}`);
  return found;
}

/** A row of a board, with that of the player. Both are verified. */
export interface BoardRow {
  player: NamedRow;
  recent: RecentRow | undefined;
}

/** Throws DamagedData unless the rows say what the index does. */
export function scoreIn({ player, recent }: BoardRow, table: BoardTable, score: unknown): Scored {
  if (recent) readRecent(recent);
  const row = (recent ?? player) as unknown as Record<string, unknown>;
  const isRight = typeof score === "number" && row[table.column] === score;
  if (!isRight || player.name === null) throw new DamagedData(table.table, player.id);
  const tally = recent ?? tallyOf(player);
  return { id: player.id, name: player.name, score, played: tally.played };
}

export type Scored = Omit<BoardEntry, "rank">;

const tallyOf = ({ played_ranked, ranked_wins }: NamedRow): RankedTally => ({
  played: played_ranked!,
  wins: ranked_wins!,
});

/** Throws DamagedData unless the entries are in the order of the board, after the position. */
export function verifyOrder(
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
export function pageOf(
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
export function withRanks(
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
export const scoresOf = (found: readonly Scored[]): number[] =>
  [...new Set(found.map(({ score }) => score))].sort((one, other) => other - one);
