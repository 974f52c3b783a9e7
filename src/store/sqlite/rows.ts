/** In charge of records as rows: the columns that served and withheld ones have in common. */

import type { SQLQueryBindings } from "bun:sqlite";
import type { WithheldReason } from "../../domain/visibility.ts";
import { sheetOf } from "../packing.ts";
import type { Fate, KeptRecord, StoredMatch } from "../store.ts";

export interface RecordColumns {
  id: string;
  created_at: number;
  game_mode: string;
  patch_version: string;
  content_hash: Uint8Array;
  /** Of served records, behind the numbers of players and teams. */
  sheet: Uint8Array;
  carried: Uint8Array;
  reason: WithheldReason | null;
}

const RECORD = "id, created_at, game_mode, patch_version, content_hash";
export const SERVED_COLUMNS = `${RECORD}, served`;
export const WITHHELD_COLUMNS = `${RECORD}, sheet`;
export const SERVED_RECORDS = `SELECT ${RECORD}, served AS sheet, fragment AS carried, NULL AS reason
                       FROM matches JOIN carried ON carried.match = matches.num`;
export const WITHHELD_RECORDS = `SELECT ${RECORD}, sheet, carried, reason FROM withheld`;

export function fateOf(reason: WithheldReason | null): Fate {
  return reason === null ? { state: "served" } : { state: "withheld", reason };
}

export function keptRecord(row: RecordColumns): KeptRecord {
  return { fate: fateOf(row.reason), match: storedMatch(row) };
}

function storedMatch(row: RecordColumns): StoredMatch {
  return {
    id: row.id,
    createdAt: row.created_at,
    gameMode: row.game_mode,
    patchVersion: row.patch_version,
    contentHash: row.content_hash,
    sheet: row.reason === null ? sheetOf(row.sheet) : row.sheet,
    carried: row.carried,
  };
}

export function recordValues(match: StoredMatch): SQLQueryBindings[] {
  return [match.id, match.createdAt, match.gameMode, match.patchVersion, match.contentHash];
}
