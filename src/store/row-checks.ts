/** Whether rows are whole, and those that were looked for. */

import type { MatchDocument } from "./match-document.ts";
import {
  DamagedData,
  type Fate,
  type MatchKey,
  type NamedPlayer,
  type NamedTable,
  type PlayerListing,
  type Selection,
  type ShardRecord,
} from "./store.ts";
import { isWhole, type Table } from "./table.ts";

/** Throws DamagedData unless a record follows another. A damaged index may lead to the same records again and again. */
export function verifyFollows(
  { fate, match }: { fate: Fate; match: MatchKey },
  next: ShardRecord,
): void {
  const isServed = next.fate.state === "served";
  const later = isServed ? next.match.createdAt - match.createdAt : 0;
  const follows =
    fate.state === next.fate.state
      ? later > 0 || (later === 0 && match.id < next.match.id)
      : !isServed;
  if (!follows) throw new DamagedData("matches", next.match.id);
}

/** Throws DamagedData unless an index listed each player once: by their latest match, then by id. */
export function verifyLatestFirst(players: readonly PlayerListing[]): void {
  for (const [index, { id, lastMatchAt = Number.NaN }] of players.entries()) {
    const before = players[index - 1];
    const later = before ? before.lastMatchAt! - lastMatchAt : 1;
    if (!(later > 0 || (later === 0 && before!.id < id))) throw new DamagedData("players", id);
  }
}

/** Throws DamagedData unless an index listed the players or teams of this name, each once, by id. */
export function verifyNamesakes<Row extends NamedPlayer>(
  table: NamedTable,
  rows: readonly Row[],
  name: string,
): readonly Row[] {
  const wrong = rows.find(
    (row, index) => row.name !== name || (index > 0 && row.id <= rows[index - 1]!.id),
  );
  if (wrong) throw new DamagedData(table, wrong.id);
  return rows;
}

/**
 * Whether a match belongs to the selection. `isIn` decides whether the player or team with a number is in one of the
 * lists of the selection.
 */
export function isSelected(
  match: MatchDocument,
  { gameModes, patchVersions, players, teams }: Selection,
  isIn: (table: NamedTable, list: number, num: number) => boolean,
): boolean {
  const hasOneOf = (table: NamedTable, list: number) =>
    match.hasParticipant(table, (num) => isIn(table, list, num));
  return (
    (gameModes === undefined || gameModes.includes(match.gameMode)) &&
    (patchVersions === undefined || patchVersions.includes(match.patchVersion)) &&
    players.every((_, list) => hasOneOf("players", list)) &&
    teams.every((_, list) => hasOneOf("teams", list))
  );
}

/** Throws DamagedData unless the row is whole. */
export function verified<Row>(table: Table<Row>, row: Row): Row {
  if (!isWhole(table, row)) throw new DamagedData(table.name, table.label(row));
  return row;
}
