/** Conformance: leaderboards, and the counts that they are read from. */

import { expect } from "bun:test";
import type { Board, Period } from "../../src/features/leaderboards/ranking.ts";
import {
  type BoardEntry,
  type BoardQuery,
  readBoard,
} from "../../src/features/leaderboards/stored.ts";
import type { PlayerRow, Reader } from "../../src/store/store.ts";
import { byBytes, type Contents } from "./model.ts";

/** Of pages, and how deep the board is. */
const DEPTHS = [100, 3];

/** Ranked matches. */
export interface Tally {
  played: number;
  wins: number;
}

const rate = ({ played, wins }: Tally) =>
  played < 20 ? undefined : Math.floor((wins * 1_000_000) / played);
const positive = (value: number) => (value > 0 ? value : undefined);

type Scores = Pick<PlayerRow, "id" | "name" | "skillTier" | "run"> & { all: Tally; recent: Tally };
const BOARDS: [Board, Period, (one: Scores) => number | undefined][] = [
  ["skill-tier", "all", ({ skillTier }) => skillTier],
  ["ranked-wins", "all", ({ all }) => positive(all.wins)],
  ["win-rate", "all", ({ all }) => rate(all)],
  ["win-streak", "all", ({ run }) => positive(run)],
  ["ranked-wins", "28d", ({ recent }) => positive(recent.wins)],
  ["win-rate", "28d", ({ recent }) => rate(recent)],
];

function scoresOf({ players, recent }: Contents): Scores[] {
  return [...players.values()].map(({ totals, ...row }) => ({
    ...row,
    all: { played: totals.playedRanked, wins: totals.rankedWins },
    recent: recent.get(row.id) ?? { played: 0, wins: 0 },
  }));
}

/** Pages of every board list each player once, the best first, with ranks, down to the depth. */
export async function compareBoards(
  reader: Reader,
  contents: Contents,
  limit: number,
): Promise<void> {
  for (const [board, period, scoreOf] of BOARDS) {
    const found = scoresOf(contents).flatMap((one) => {
      const score = scoreOf(one);
      const { played } = period === "28d" ? one.recent : one.all;
      return score === undefined ? [] : [{ id: one.id, name: one.name, score, played }];
    });
    const expected = found
      .sort((a, b) => b.score - a.score || byBytes(a.id, b.id))
      .map((one) => ({ ...one, rank: 1 + found.filter(({ score }) => score > one.score).length }));
    for (const depth of DEPTHS) {
      const listed = await pages(reader, { board, period, depth }, limit);
      expect(listed).toEqual(expected.slice(0, depth));
    }
    const playerIds = ["nobody", ...contents.players.keys()];
    const query = { board, period, depth: 3, part: { playerIds } };
    expect((await reader.read(() => readBoard(query))).entries).toEqual(
      expected.map((one) => ({ ...one, rank: one.rank <= 3 ? one.rank : undefined })),
    );
  }
}

async function pages(
  reader: Reader,
  query: Omit<BoardQuery, "part">,
  limit: number,
): Promise<BoardEntry[]> {
  const all: BoardEntry[] = [];
  for (;;) {
    const last = all.at(-1);
    const after = last && { score: last.score, id: last.id };
    const part = await reader.read(() => readBoard({ ...query, part: { after, limit } }));
    expect(part.entries.length).toBeLessThanOrEqual(limit);
    all.push(...part.entries);
    if (!part.hasMore) return all;
    expect(part.entries).toHaveLength(limit);
  }
}

/** The ranked matches of a time by player; mentions do not count. */
export function rankedIn({ served }: Contents, from: number, to: number): Map<string, Tally> {
  const tallies = new Map<string, Tally>();
  for (const { createdAt, gameMode, players } of served.values()) {
    if (gameMode !== "ranked" || createdAt < from || createdAt > to) continue;
    for (const { id, result } of players.filter((one) => one.result !== "named")) {
      const { played, wins } = tallies.get(id) ?? { played: 0, wins: 0 };
      tallies.set(id, { played: played + 1, wins: wins + (result === "won" ? 1 : 0) });
    }
  }
  return tallies;
}
