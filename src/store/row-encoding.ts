/** The encodings inside rows, the same in every adapter, and records read from rows. */

import type { Result } from "../domain/player.ts";
import type { WithheldReason } from "../domain/visibility.ts";
import type { Fate, Fragment, ShardRecord, Vocabulary } from "./store.ts";

/** Results in their stored order; those below "named" are parts in the match. */
const RESULTS: readonly Result[] = ["lost", "won", "named"];

export const packResult = (result: Result): number => RESULTS.indexOf(result);
export const unpackResult = (stored: number): Result => RESULTS[stored]!;

/** Stored words say of what kind they are: "path:…" or "type:…". */
export function readVocabulary(words: readonly string[]): Vocabulary {
  const after = (prefix: string) =>
    new Set(
      words.filter((word) => word.startsWith(prefix)).map((word) => word.slice(prefix.length)),
    );
  return { includePaths: after("path:"), types: after("type:") };
}

/** A record as the tables of both engines have it. */
export interface RecordRow {
  id: string;
  created_at: number | string;
  game_mode: string;
  patch_version: string;
  content_hash: Uint8Array;
  /** Of a served record, after the numbers of its players and teams. */
  sheet: Uint8Array;
  carried: Uint8Array;
  reason: WithheldReason | null;
}

export function fateOf(reason: WithheldReason | null): Fate {
  return reason === null ? { state: "served" } : { state: "withheld", reason };
}

export function readRecord(row: RecordRow): ShardRecord {
  return {
    fate: fateOf(row.reason),
    match: {
      id: row.id,
      createdAt: Number(row.created_at),
      gameMode: row.game_mode,
      patchVersion: row.patch_version,
      contentHash: row.content_hash,
      sheet: row.reason === null ? unpackServed(row.sheet, [], []) : row.sheet,
      carried: row.carried,
    },
  };
}

const NUMBER = 4;

export function packNumbers(numbers: Iterable<number>): Uint8Array {
  return new Uint8Array(Uint32Array.from(numbers).buffer);
}

export function unpackNumbers(packed: Uint8Array): Uint32Array {
  // Copied, since the bytes need not begin at a multiple of four.
  return new Uint32Array(Uint8Array.from(packed).buffer);
}

const COUNTS = 4;

/**
 * The numbers of a match's players and teams, in the order in which a response includes them, and its
 * sheet: two counts, 2 bytes each; the numbers; the sheet.
 */
export function packServed(players: number[], teams: number[], sheet: Fragment): Uint8Array {
  const counts = Uint16Array.of(players.length, teams.length);
  return Buffer.concat([new Uint8Array(counts.buffer), packNumbers([...players, ...teams]), sheet]);
}

/** Adds to the numbers those that are not among them yet; returns the sheet. */
export function unpackServed(packed: Uint8Array, players: number[], teams: number[]): Fragment {
  const teamsAt = COUNTS + NUMBER * (packed[0]! | (packed[1]! << 8));
  const sheetAt = teamsAt + NUMBER * (packed[2]! | (packed[3]! << 8));
  addNumbers(packed, COUNTS, teamsAt, players);
  addNumbers(packed, teamsAt, sheetAt, teams);
  return packed.subarray(sheetAt);
}

function addNumbers(packed: Uint8Array, from: number, to: number, numbers: number[]): void {
  // Those of one match differ anyway. There are few: a linear search is the fastest.
  const known = numbers.length;
  for (let at = from; at < to; at += NUMBER) {
    // Not by a DataView: to make one costs more than all it would read here.
    const number =
      (packed[at]! | (packed[at + 1]! << 8) | (packed[at + 2]! << 16) | (packed[at + 3]! << 24)) >>>
      0;
    if (known === 0 || !numbers.includes(number)) numbers.push(number);
  }
}
