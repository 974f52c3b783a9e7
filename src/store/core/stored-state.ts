/** Reads what is derived from the records, as it is stored. */

import type { RankedTally } from "../../domain/leaderboards.ts";
import { get, query, type Steps, select } from "../steps.ts";
import { DamagedData, type DependentPair, type PlayerRow, type TeamRow } from "../store.ts";
import type { Table } from "../table.ts";
import {
  DEPENDENTS,
  PLAYER_RECENT,
  PLAYERS,
  RANKED_EVIDENCE,
  TEAMS,
  VOCABULARY,
} from "../tables.ts";
import { recent } from "./boards.ts";
import { unbuilt } from "./derived.ts";
import { playerOf, teamOf } from "./named.ts";

export const storedState = {
  *namedIds(kind: "players" | "teams", afterId: string, limit: number): Steps<string[]> {
    const rows = yield* query<{ id: string }>(
      `SELECT id FROM {${kind}} WHERE id > $1 ORDER BY id LIMIT $2`,
      [afterId, limit],
    );
    return rows.map(({ id }) => id);
  },

  *playerRows(ids: string[]): Steps<PlayerRow[]> {
    return (yield* undamaged(PLAYERS, ids)).map(playerOf);
  },

  *playersSeen(from: number, to: number): Steps<PlayerRow[]> {
    const rows = yield* query<{ id: string }>(
      "SELECT id FROM {players} WHERE last_match_at BETWEEN $1::bigint AND $2::bigint",
      [from, to],
    );
    return yield* storedState.playerRows(rows.map(({ id }) => id));
  },

  *teamRows(ids: string[]): Steps<TeamRow[]> {
    return (yield* undamaged(TEAMS, ids)).map(teamOf);
  },

  *evidenceAfter(afterId: string, limit: number): Steps<[playerId: string, records: number][]> {
    const rows = yield* select(
      RANKED_EVIDENCE,
      "WHERE ranked_evidence.player_id > $1 ORDER BY ranked_evidence.player_id LIMIT $2",
      [afterId, limit],
    );
    return rows.map(({ player_id, records }) => [player_id, records]);
  },

  *missingDependents(pairs: DependentPair[]): Steps<DependentPair[]> {
    const rows = yield* get(
      DEPENDENTS,
      pairs.map(([player_id, match_id]) => ({ player_id, match_id })),
    );
    const stored = new Set(rows.map(DEPENDENTS.label));
    return pairs.filter((pair) => !stored.has(pair.join(" ")));
  },

  *dependentsAfter([playerId, matchId]: DependentPair, limit: number): Steps<DependentPair[]> {
    const rows = yield* select(
      DEPENDENTS,
      `WHERE (dependents.player_id, dependents.match_id) > ($1, $2)
       ORDER BY dependents.player_id, dependents.match_id LIMIT $3`,
      [playerId, matchId, limit],
    );
    return rows.map(({ player_id, match_id }) => [player_id, match_id]);
  },

  *vocabularyCounts(): Steps<Map<string, number>> {
    const rows = yield* select(VOCABULARY, "");
    return new Map(rows.map(({ word, records }) => [word, records]));
  },

  *recentAfter(afterId: string, limit: number): Steps<[playerId: string, tally: RankedTally][]> {
    const rows = yield* select(
      PLAYER_RECENT,
      "WHERE player_recent.id > $1 ORDER BY player_recent.id LIMIT $2",
      [afterId, limit],
    );
    return rows.map(({ id, played, wins }) => [id, { played, wins }]);
  },

  recentOf: recent.recentOf,

  unbuilt,
};

/** The rows with these ids. Damaged ones are omitted. */
function* undamaged<Row extends { id: string }>(
  table: Table<Row, "id">,
  ids: readonly string[],
): Steps<Row[]> {
  const keys = ids.map((id) => ({ id }) as Pick<Row, "id">);
  try {
    return yield* get(table, keys);
  } catch (error) {
    if (!(error instanceof DamagedData)) throw error;
    if (keys.length === 1) return [];
  }
  const found: Row[] = [];
  for (const id of ids) found.push(...(yield* undamaged(table, [id])));
  return found;
}
