/** Encodes and decodes values in rows, for both adapters. */

import type { Result } from "../domain/player.ts";
import type { WithheldReason } from "../domain/visibility.ts";
import { type ByteRange, viewOf } from "./byte-range.ts";
import type {
  Fate,
  Fragment,
  MatchEntry,
  PlayerEntry,
  ShardRecord,
  StoredMatch,
  TeamEntry,
  Vocabulary,
} from "./store.ts";

/** In stored order. Those before "named" mean that the player took part. */
const RESULTS: readonly Result[] = ["lost", "won", "named"];

export const packResult = (result: Result): number => RESULTS.indexOf(result);
export const unpackResult = (stored: number): Result => RESULTS[stored]!;

/** Stored words have a prefix: "path:…" or "type:…". */
export function readVocabulary(words: readonly string[]): Vocabulary {
  const after = (prefix: string) =>
    new Set(
      words.filter((word) => word.startsWith(prefix)).map((word) => word.slice(prefix.length)),
    );
  return { includePaths: after("path:"), types: after("type:") };
}

/** A row of the tables in both engines. */
export interface RecordRow {
  id: string;
  created_at: number;
  game_mode: string;
  patch_version: string;
  content_hash: Uint8Array;
  /** For a served record, preceded by the numbers of its players and teams. */
  document: Uint8Array;
  snapshot: Uint8Array;
  reason: WithheldReason | null;
}

/** The columns that both kinds of records have. */
export const rowOf = ({ id, createdAt, gameMode, patchVersion }: StoredMatch) => ({
  id,
  created_at: createdAt,
  game_mode: gameMode,
  patch_version: patchVersion,
});

export function fateOf(reason: WithheldReason | null): Fate {
  return reason === null ? { state: "served" } : { state: "withheld", reason };
}

export function readRecord(row: RecordRow): ShardRecord {
  return {
    fate: fateOf(row.reason),
    match: {
      id: row.id,
      createdAt: row.created_at,
      gameMode: row.game_mode,
      patchVersion: row.patch_version,
      contentHash: row.content_hash,
      encoded: row.reason === null ? viewOf(unpackServed(row.document, [], [])) : row.document,
      carried: row.snapshot,
    },
  };
}

const NUMBER = 4;

export function packNumbers(numbers: Iterable<number>): Uint8Array {
  return new Uint8Array(Uint32Array.from(numbers).buffer);
}

export function unpackNumbers(packed: Uint8Array): Uint32Array {
  // A copy, because the bytes need not be 4-byte aligned.
  return new Uint32Array(Uint8Array.from(packed).buffer);
}

const COUNTS = 4;

/**
 * The internal numbers of a match's players and teams, in response order, and the encoded match:
 * two counts of 2 bytes; the numbers; the match.
 */
export function packServed(players: number[], teams: number[], encoded: Fragment): Uint8Array {
  const counts = Uint16Array.of(players.length, teams.length);
  return Buffer.concat([
    new Uint8Array(counts.buffer),
    packNumbers([...players, ...teams]),
    encoded,
  ]);
}

/** Adds the numbers that are not in the lists yet. Returns where the encoded match is. */
export function unpackServed(packed: Uint8Array, players: number[], teams: number[]): ByteRange {
  const teamsAt = COUNTS + NUMBER * (packed[0]! | (packed[1]! << 8));
  const matchAt = teamsAt + NUMBER * (packed[2]! | (packed[3]! << 8));
  addNumbers(packed, COUNTS, teamsAt, players);
  addNumbers(packed, teamsAt, matchAt, teams);
  return { bytes: packed, start: matchAt, end: packed.length };
}

function addNumbers(packed: Uint8Array, from: number, to: number, numbers: number[]): void {
  // The numbers of one match are distinct. There are few, so a linear search is fastest.
  const known = numbers.length;
  for (let at = from; at < to; at += NUMBER) {
    const number = readNumber(packed, at);
    if (!isAmong(numbers, known, number)) numbers.push(number);
  }
}

/** Compiled code searches a short list faster than a call of includes(). */
function isAmong(numbers: readonly number[], known: number, number: number): boolean {
  for (let index = 0; index < known; index++) if (numbers[index] === number) return true;
  return false;
}

/** Whether each player and team of a match took part: one byte each, in the order of the numbers. */
export const packResults = (
  players: readonly { result: Result }[],
  teams: readonly { plays: boolean }[],
): Uint8Array =>
  Uint8Array.from([
    ...players.map(({ result }) => packResult(result)),
    ...teams.map(({ plays }) => (plays ? 1 : 0)),
  ]);

/** How the player or team with this number took part; undefined if the match does not name it. */
export function resultIn(
  match: ServedParts,
  of: "players" | "teams",
  number: number,
): number | undefined {
  let found: number | undefined;
  someResult(match, of, (num, result) => {
    if (num === number) found = result;
    return num === number;
  });
  return found;
}

/** Only the beginning of `document`, with the numbers, is needed. */
interface ServedParts {
  document: Uint8Array;
  results: Uint8Array;
}

/** Whether some player or team of a match passes a test, given its number and result. */
export function someResult(
  { document, results }: ServedParts,
  of: "players" | "teams",
  test: (num: number, result: number) => boolean,
): boolean {
  const players = document[0]! | (document[1]! << 8);
  const teams = document[2]! | (document[3]! << 8);
  const [first, end] = of === "players" ? [0, players] : [players, players + teams];
  for (let index = first; index < end; index++) {
    const result = results[index];
    if (result !== undefined && test(readNumber(document, COUNTS + NUMBER * index), result))
      return true;
  }
  return false;
}

/** The numbers of all players of a match with their results. */
export function playersIn({ document, results }: ServedParts): { num: number; result: Result }[] {
  const nums: number[] = [];
  unpackServed(document, nums, []);
  return nums.map((num, index) => ({ num, result: unpackResult(results[index]!) }));
}

/** The numbers of the players and teams that took part in a match. */
export function participantsIn(match: ServedParts): { players: number[]; teams: number[] } {
  const players: number[] = [];
  const teams: number[] = [];
  someResult(match, "players", (num, result) => {
    if (unpackResult(result) !== "named") players.push(num);
    return false;
  });
  someResult(match, "teams", (num, plays) => {
    if (plays === 1) teams.push(num);
    return false;
  });
  return { players, teams };
}

/** Faster than creating a DataView. */
const readNumber = (bytes: Uint8Array, at: number): number =>
  (bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)) >>> 0;

/** The players and teams of a match, given their ids by number. */
export function entriesIn(
  match: ServedParts,
  playerId: (num: number) => string,
  teamId: (num: number) => string,
): Pick<MatchEntry, "players" | "teams"> {
  const players: PlayerEntry[] = [];
  const teams: TeamEntry[] = [];
  someResult(match, "players", (num, result) => {
    players.push({ id: playerId(num), result: unpackResult(result) });
    return false;
  });
  someResult(match, "teams", (num, result) => {
    teams.push({ id: teamId(num), plays: result === 1 });
    return false;
  });
  return { players, teams };
}
