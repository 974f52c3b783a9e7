/** The entries of a leaderboard. */

import { type Board, RATE_UNIT } from "../domain/leaderboards.ts";
import type { BoardEntry } from "../store/store.ts";
import { type Piece, pieceOf } from "./fragment.ts";

export function leaderboardContent(board: Board, entries: readonly BoardEntry[]): Piece[] {
  const data = entries.map(({ id, name, score, played, rank = null }) => ({
    type: "leaderboard-entry",
    id,
    attributes:
      board === "win-rate"
        ? { rank, name, value: rounded(score), matches: played }
        : { rank, name, value: score },
    relationships: { player: { data: { type: "player", id } } },
  }));
  return [pieceOf(Buffer.from(`{"data":${JSON.stringify(data)}`))];
}

const DECIMALS = 10_000;

const rounded = (rate: number): number => Math.round((rate * DECIMALS) / RATE_UNIT) / DECIMALS;
