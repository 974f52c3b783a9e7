/** Conformance: leaderboards, and the counts that they are read from. */

import { expect } from "bun:test";
import type { RankedTally } from "../../src/domain/rank.ts";
import { rankedBetween } from "../../src/features/leaderboards/ranked-matches.ts";
import type { Board, Period } from "../../src/features/leaderboards/ranking.ts";
import {
  type BoardEntry,
  type BoardQuery,
  changeRecent,
  clearRecent,
  readBoard,
} from "../../src/features/leaderboards/stored.ts";
import type { PlayerRow, Reader } from "../../src/store/store.ts";
import type { FeaturePart } from "./features.ts";
import { byBytes, type Contents } from "./model.ts";
import { changed, PLAYERS, some, tally } from "./values.ts";

/** Of pages, and how deep the board is. */
const DEPTHS = [100, 3];

const rate = ({ played, wins }: RankedTally) =>
  played < 20 ? undefined : Math.floor((wins * 1_000_000) / played);
const positive = (value: number) => (value > 0 ? value : undefined);

type Scores = Pick<PlayerRow, "id" | "name" | "skillTier" | "run"> & {
  all: RankedTally;
  recent: RankedTally;
};
const BOARDS: [Board, Period, (one: Scores) => number | undefined][] = [
  ["skill-tier", "all", ({ skillTier }) => skillTier],
  ["ranked-wins", "all", ({ all }) => positive(all.wins)],
  ["win-rate", "all", ({ all }) => rate(all)],
  ["win-streak", "all", ({ run }) => positive(run)],
  ["ranked-wins", "28d", ({ recent }) => positive(recent.wins)],
  ["win-rate", "28d", ({ recent }) => rate(recent)],
];

/** Stores the ranked matches of the last 28 days, by player. */
export const leaderboards: FeaturePart<RankedTally, RankedTally> = {
  name: "leaderboards",
  stored: {
    wishes: some(PLAYERS, tally),
    after(before, wishes, players) {
      const recent = changed(before, Object.entries(wishes));
      return new Map([...recent].filter(([id, { played }]) => played > 0 && players.has(id)));
    },
    async carryOut(transaction, _, after) {
      await transaction.run(clearRecent);
      await transaction.run(() => changeRecent(after));
    },
  },
  /** Pages of every board list each player once, the best first, with ranks, down to the depth. */
  async compare(reader, { after: { players }, rows }, { limit }) {
    const scores = [...players.values()].map(({ totals, ...row }) => ({
      ...row,
      all: { played: totals.playedRanked, wins: totals.rankedWins },
      recent: rows.get(row.id) ?? { played: 0, wins: 0 },
    }));
    for (const [board, period, scoreOf] of BOARDS) {
      const found = scores.flatMap((one) => {
        const score = scoreOf(one);
        const { played } = period === "28d" ? one.recent : one.all;
        return score === undefined ? [] : [{ id: one.id, name: one.name, score, played }];
      });
      const rankOf = (score: number) => 1 + found.filter((other) => other.score > score).length;
      const expected = found
        .sort((a, b) => b.score - a.score || byBytes(a.id, b.id))
        .map((one) => ({ ...one, rank: rankOf(one.score) }));
      for (const depth of DEPTHS) {
        const listed = await pages(reader, { board, period, depth }, limit);
        expect(listed).toEqual(expected.slice(0, depth));
      }
      const playerIds = ["nobody", ...players.keys()];
      const query = { board, period, depth: 3, part: { playerIds } };
      expect((await reader.read(() => readBoard(query))).entries).toEqual(
        expected.map((one) => ({ ...one, rank: one.rank <= 3 ? one.rank : undefined })),
      );
    }
  },
  async compareTransaction(transaction, contents, { time, limit }) {
    const [from, to] = [time - limit, time];
    const found = await transaction.run(() => rankedBetween(from, to));
    expect(found).toEqual(rankedIn(contents, from, to));
  },
};

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
function rankedIn({ served }: Contents, from: number, to: number): Map<string, RankedTally> {
  const tallies = new Map<string, RankedTally>();
  for (const { createdAt, gameMode, players } of served.values()) {
    if (gameMode !== "ranked" || createdAt < from || createdAt > to) continue;
    for (const { id, result } of players.filter((one) => one.result !== "named")) {
      const { played, wins } = tallies.get(id) ?? { played: 0, wins: 0 };
      tallies.set(id, { played: played + 1, wins: wins + (result === "won" ? 1 : 0) });
    }
  }
  return tallies;
}
