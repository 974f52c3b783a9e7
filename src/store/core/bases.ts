/** What pruned records left behind of each player. */

import { get, put, remove, type Steps } from "../steps.ts";
import type { PlayerBase } from "../store.ts";
import { type BaseRow, PLAYER_BASE } from "../tables.ts";

export const bases = {
  *basesOf(playerIds: string[]): Steps<Map<string, PlayerBase>> {
    const rows = yield* get(PLAYER_BASE, idRows(playerIds));
    return new Map(rows.map((row) => [row.id, baseOf(row)]));
  },

  putBases: (changed: PlayerBase[]) => put(PLAYER_BASE, changed.map(rowOf)),
  removeBases: (playerIds: string[]) => remove(PLAYER_BASE, idRows(playerIds)),
};

const idRows = (ids: readonly string[]) => ids.map((id) => ({ id }));

export function baseOf(row: BaseRow): PlayerBase {
  const { id, ranked_evidence: rankedEvidence, snapshot } = row;
  if (snapshot === null) return { id, rankedEvidence, standing: undefined };
  return {
    id,
    rankedEvidence,
    standing: {
      totals: {
        played: row.played!,
        wins: row.wins!,
        playedRanked: row.played_ranked!,
        rankedWins: row.ranked_wins!,
        gold: BigInt(row.gold!),
      },
      run: row.streak!,
      latest: { createdAt: row.last_match_at!, matchId: row.last_match_id! },
      snapshot,
    },
  };
}

const rowOf = ({ id, rankedEvidence, standing }: PlayerBase): BaseRow => ({
  id,
  ranked_evidence: rankedEvidence,
  last_match_at: standing?.latest.createdAt ?? null,
  last_match_id: standing?.latest.matchId ?? null,
  streak: standing?.run ?? null,
  played: standing?.totals.played ?? null,
  wins: standing?.totals.wins ?? null,
  played_ranked: standing?.totals.playedRanked ?? null,
  ranked_wins: standing?.totals.rankedWins ?? null,
  gold: standing?.totals.gold.toString() ?? null,
  snapshot: standing?.snapshot ?? null,
});
