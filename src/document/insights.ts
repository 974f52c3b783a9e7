/** The resources of hero statistics, leaderboards and the company of a player. */

import type { ActorSummary } from "../domain/actors.ts";
import type { Companion } from "../domain/company.ts";
import { type Board, RATE_UNIT } from "../domain/leaderboards.ts";
import { formatTimestamp } from "../domain/time.ts";
import type { BoardEntry } from "../store/store.ts";
import { type Piece, pieceOf } from "./fragment.ts";

export const actorListContent = (actors: readonly ActorSummary[]): Piece[] =>
  contentOf(actors.map(({ actor, ...attributes }) => ({ type: "actor", id: actor, attributes })));

export const leaderboardContent = (board: Board, entries: readonly BoardEntry[]): Piece[] =>
  contentOf(
    entries.map(({ id, name, score, played, rank = null }) => ({
      type: "leaderboard-entry",
      id,
      attributes:
        board === "win-rate"
          ? { rank, name, value: rounded(score), matches: played }
          : { rank, name, value: score },
      relationships: { player: { data: { type: "player", id } } },
    })),
  );

const DECIMALS = 10_000;

const rounded = (rate: number): number => Math.round((rate * DECIMALS) / RATE_UNIT) / DECIMALS;

export const companyContent = (
  company: readonly Companion[],
  names: ReadonlyMap<string, string>,
): Piece[] =>
  contentOf(
    company.map(({ id, with: allied, against, lastPlayedAt }) => ({
      type: "company",
      id,
      attributes: {
        name: names.get(id)!,
        with: allied,
        against,
        lastPlayedAt: formatTimestamp(lastPlayedAt),
      },
      relationships: { player: { data: { type: "player", id } } },
    })),
  );

const contentOf = (data: unknown[]): Piece[] => [
  pieceOf(Buffer.from(`{"data":${JSON.stringify(data)}`)),
];
