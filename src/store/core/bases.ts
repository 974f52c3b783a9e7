/** What pruned records left behind of each player. */

import { get, put, remove, type Steps } from "../steps.ts";
import type { PlayerBase } from "../store.ts";
import { type BaseRow, PLAYER_BASE } from "../tables.ts";
import { standingColumns, standingOf } from "./named.ts";

export const bases = {
  *basesOf(playerIds: string[]): Steps<Map<string, PlayerBase>> {
    const rows = yield* get(PLAYER_BASE, idRows(playerIds));
    return new Map(rows.map((row) => [row.id, baseOf(row)]));
  },

  putBases: (changed: PlayerBase[]) => put(PLAYER_BASE, changed.map(rowOf)),
  removeBases: (playerIds: string[]) => remove(PLAYER_BASE, idRows(playerIds)),
};

const idRows = (ids: readonly string[]) => ids.map((id) => ({ id }));

export const baseOf = (row: BaseRow): PlayerBase => ({
  id: row.id,
  rankedEvidence: row.ranked_evidence,
  standing: isStanding(row) ? { ...standingOf(row), snapshot: row.snapshot } : undefined,
});

/** All of its columns have a value then. */
const isStanding = (row: BaseRow): row is { [Name in keyof BaseRow]: NonNullable<BaseRow[Name]> } =>
  row.snapshot !== null;

const rowOf = ({ id, rankedEvidence, standing }: PlayerBase): BaseRow => ({
  id,
  ranked_evidence: rankedEvidence,
  ...NO_STANDING,
  ...(standing && { ...standingColumns(standing), snapshot: standing.snapshot }),
});

const NO_STANDING = {
  last_match_at: null,
  last_match_id: null,
  streak: null,
  played: null,
  wins: null,
  played_ranked: null,
  ranked_wins: null,
  gold: null,
  snapshot: null,
};
