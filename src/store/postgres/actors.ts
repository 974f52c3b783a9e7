/** Reads and writes the statistics of actors. */

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
import { insertRows } from "./bulk-write.ts";
import type { Connection } from "./session.ts";

/** Casts, because bigint arrives as text. */
const COLUMNS = ACTOR_COLUMNS.map((column) =>
  ["picks", "wins", "checksum"].includes(column)
    ? `stats.${column}::float8 AS ${column}`
    : `stats.${column}`,
);

export const ACTOR_ROWS = `SELECT ${COLUMNS} FROM {actor_stats} AS stats`;

const GIVEN = `unnest($1::text[], $2::text[], $3::text[], $4::smallint[])
  AS given (game_mode, patch_version, actor, is_pruned)`;

const IS_GIVEN = `stats.game_mode = given.game_mode COLLATE "C"
  AND stats.patch_version = given.patch_version COLLATE "C" AND stats.actor = given.actor COLLATE "C"
  AND stats.is_pruned = given.is_pruned`;

export function actorTable(connection: Connection) {
  async function actorTotalsOf(keys: ActorRowKey[]): Promise<ActorTotals[]> {
    if (keys.length === 0) return [];
    const rows = await connection.rows<ActorRow>(
      `SELECT ${COLUMNS} FROM ${GIVEN} JOIN {actor_stats} AS stats ON ${IS_GIVEN}`,
      columnsOf(keys),
    );
    return rows.map(readActor);
  }

  return {
    actorTotalsOf,

    async actorTotals(
      isPruned: boolean,
      after: ActorKey | undefined,
      limit: number,
    ): Promise<ActorTotals[]> {
      const rows = await connection.rows<ActorRow>(
        `${ACTOR_ROWS} WHERE (stats.game_mode, stats.patch_version, stats.actor) > ($1, $2, $3)
           AND stats.is_pruned = $4::smallint
         ORDER BY stats.game_mode, stats.patch_version, stats.actor LIMIT $5`,
        [
          after?.gameMode ?? "",
          after?.patchVersion ?? "",
          after?.actor ?? "",
          isPruned ? 1 : 0,
          limit,
        ],
      );
      return rows.map(readActor);
    },

    async changeActorTotals(changes: ActorTotals[]): Promise<void> {
      if (changes.length === 0) return;
      const present = await actorTotalsOf(changes);
      const { put } = changedRows(present, changes);
      if (present.length > 0) {
        await connection.run(
          `DELETE FROM {actor_stats} AS stats USING ${GIVEN} WHERE ${IS_GIVEN}`,
          columnsOf(present),
        );
      }
      await insertActors(connection, put);
    },
  };
}

const columnsOf = (keys: readonly ActorRowKey[]): unknown[] => [
  keys.map(({ gameMode }) => gameMode),
  keys.map(({ patchVersion }) => patchVersion),
  keys.map(({ actor }) => actor),
  keys.map(({ isPruned }) => (isPruned ? 1 : 0)),
];

async function insertActors(connection: Connection, rows: readonly ActorRow[]): Promise<void> {
  if (rows.length === 0) return;
  const texts = ["game_mode", "patch_version", "actor"] as const;
  const sums = ["kills", "deaths", "assists", "gold", "farm"] as const;
  await insertRows(connection, "actor_stats", [
    ...[...texts, ...sums].map((name) => ({
      name,
      type: "text" as const,
      values: rows.map((row) => row[name]),
    })),
    { name: "is_pruned", type: "smallint", values: rows.map((row) => row.is_pruned) },
    ...(["picks", "wins", "checksum"] as const).map((name) => ({
      name,
      type: "bigint" as const,
      values: rows.map((row) => row[name]),
    })),
  ]);
}

/** Every value of a filter is a range of the index, so that no row is read in vain. One statement reads one state. */
export async function readActorStats(
  connection: Connection,
  { gameModes, patchVersions, limit }: ActorSelection,
): Promise<ActorRows> {
  const ranges = gameModes.flatMap((mode) =>
    (patchVersions ?? [""]).map((patch) => ({ mode, patch })),
  );
  const isPatch =
    patchVersions === undefined ? "" : ' AND stats.patch_version = given.patch COLLATE "C"';
  const rows = await connection.rows<ActorRow>(
    `SELECT listed.* FROM unnest($1::text[], $2::text[]) AS given (mode, patch) CROSS JOIN LATERAL
       (${ACTOR_ROWS} WHERE stats.game_mode = given.mode COLLATE "C"${isPatch}
        ORDER BY ${ACTOR_KEY_COLUMNS.map((column) => `stats.${column}`)}) AS listed
     LIMIT $3`,
    [ranges.map(({ mode }) => mode), ranges.map(({ patch }) => patch), limit + 1],
  );
  const found = rows.map(readActor);
  verifyActors(
    found,
    ({ gameMode, patchVersion }) =>
      gameModes.includes(gameMode) && (patchVersions?.includes(patchVersion) ?? true),
  );
  return { rows: found.slice(0, limit), isTruncated: found.length > limit };
}
