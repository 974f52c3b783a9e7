/** Reads and writes the statistics of actors. */

import type { SQLQueryBindings } from "bun:sqlite";
import type { ActorKey, ActorTotals } from "../../domain/actors.ts";
import {
  ACTOR_COLUMNS,
  ACTOR_KEY_COLUMNS,
  type ActorRow,
  changedRows,
  readActor,
  verifyActors,
} from "../actor-rows.ts";
import type { ActorRowKey, ActorRows, ActorSelection } from "../store.ts";
import type { Statements } from "./statements.ts";

const ROWS = `SELECT ${ACTOR_COLUMNS} FROM actor_stats`;
const BY_KEY = ACTOR_KEY_COLUMNS.map((column) => `${column} = ?`).join(" AND ");
const PUT = `INSERT INTO actor_stats (${ACTOR_COLUMNS}) VALUES (${ACTOR_COLUMNS.map(() => "?")})
  ON CONFLICT (${ACTOR_KEY_COLUMNS}) DO UPDATE SET
  ${ACTOR_COLUMNS.slice(4).map((column) => `${column} = excluded.${column}`)}`;

export function actorTable(database: Statements) {
  const actorTotalsOf = (keys: ActorRowKey[]): ActorTotals[] =>
    keys.flatMap((key) => {
      const row = database.row<ActorRow>(`${ROWS} WHERE ${BY_KEY}`, ...keyValues(key));
      return row ? readActor(row) : [];
    });

  return {
    actorTotalsOf,

    actorTotals(isPruned: boolean, after: ActorKey | undefined, limit: number): ActorTotals[] {
      const { gameMode, patchVersion, actor } = after ?? START;
      return database
        .get<ActorRow>(
          `${ROWS} WHERE (game_mode, patch_version, actor) > (?, ?, ?) AND is_pruned = ?
           ORDER BY game_mode, patch_version, actor LIMIT ?`,
        )
        .all(gameMode, patchVersion, actor, isPruned ? 1 : 0, limit)
        .map(readActor);
    },

    changeActorTotals(changes: ActorTotals[]): void {
      const { put, removed } = changedRows(actorTotalsOf(changes), changes);
      for (const row of put) {
        database.run(PUT, ...(Object.values(row) as ActorRow[keyof ActorRow][]));
      }
      for (const key of removed) {
        database.run(`DELETE FROM actor_stats WHERE ${BY_KEY}`, ...keyValues(key));
      }
    },
  };
}

/** Modes are not empty. */
const START: ActorKey = { gameMode: "", patchVersion: "", actor: "" };

const keyValues = (key: ActorRowKey): SQLQueryBindings[] => [
  key.gameMode,
  key.patchVersion,
  key.actor,
  key.isPruned ? 1 : 0,
];

/** Every value of a filter is a range of the index, so that no row is read in vain. */
export function readActorStats(
  database: Statements,
  { gameModes, patchVersions, limit }: ActorSelection,
): ActorRows {
  const found: ActorTotals[] = [];
  for (const mode of gameModes) {
    for (const patch of patchVersions ?? [undefined]) {
      const where = `game_mode = ?${patch === undefined ? "" : " AND patch_version = ?"}`;
      const rows = database
        .get<ActorRow>(`${ROWS} WHERE ${where} ORDER BY ${ACTOR_KEY_COLUMNS} LIMIT ?`)
        .all(mode, ...(patch === undefined ? [] : [patch]), limit + 1 - found.length)
        .map(readActor);
      verifyActors(
        rows,
        ({ gameMode, patchVersion }) =>
          gameMode === mode && (patch === undefined || patchVersion === patch),
      );
      found.push(...rows);
      if (found.length > limit) return { rows: found.slice(0, limit), isTruncated: true };
    }
  }
  return { rows: found, isTruncated: false };
}
