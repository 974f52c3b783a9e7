/** Whether rows are whole, and those that were looked for. */

import { crc32 } from "node:zlib";
import type { MatchDocument } from "./match-document.ts";
import {
  DamagedData,
  type Fate,
  type MatchKey,
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

/** Throws DamagedData unless an index listed the players by their latest match. */
export function verifyLatestFirst(players: readonly PlayerListing[]): void {
  for (const [index, { id, lastMatchAt }] of players.entries()) {
    const before = players[index - 1]?.lastMatchAt ?? Number.POSITIVE_INFINITY;
    if (lastMatchAt === undefined || lastMatchAt > before) throw new DamagedData("players", id);
  }
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

/** The length matters: the last five bytes of every match happen to start with their checksum too. */
const MATCH_HEADER = 27;

/** Encoded matches start with the CRC-32 of the rest. */
export const isWholeMatch = (bytes: Uint8Array): boolean =>
  bytes.length > MATCH_HEADER && numberAt(bytes, 0) === crc32(bytes.subarray(4));

/** Fragments have the CRC-32 of everything else at byte 8. */
export const isWholeFragment = (bytes: Uint8Array | null): boolean =>
  bytes !== null &&
  bytes.length >= 12 &&
  numberAt(bytes, 8) === crc32(bytes.subarray(12), crc32(bytes.subarray(0, 8)));

const numberAt = (bytes: Uint8Array, at: number): number =>
  new DataView(bytes.buffer, bytes.byteOffset).getUint32(at, true);

/** Throws DamagedData unless the row is whole. */
export function verified<Row>(table: Table<Row>, row: Row): Row {
  if (!isWhole(table, row)) throw new DamagedData(table.name, table.label(row));
  return row;
}
