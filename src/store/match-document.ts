/**
 * The stored value of a match, which checks itself. It is one column, because reading a column costs about as much as
 * finding the row.
 *
 * Layout, little-endian: creation time (8 bytes); whether it is served (1); number of players (2) and of teams (2); lengths
 * of the game mode (2) and patch version (2); for each player and then each team, in response order, four times the internal
 * number, plus how it took part (4 each); game mode, patch version; the encoded match; CRC-32 of the id and everything
 * before (4). A withheld match has no players and teams: they have no numbers.
 */

import { crc32 } from "node:zlib";
import type { Result } from "../domain/streak.ts";
import { type ByteRange, whole } from "./byte-range.ts";
import { DamagedData, type MatchEntry, type MatchKey, type StoredMatch } from "./store.ts";

type Linked = "players" | "teams";

const TIME = 0;
const IS_SERVED = 8;
const PLAYERS = 9;
const TEAMS = 11;
const MODE_LENGTH = 13;
const PATCH_LENGTH = 15;
const LINKS = 17;
/** The CRC-32 of anything that is followed by its own CRC-32: a view without it would take longer than the rest. */
const WHOLE = 0x2144df1c;
/** The bytes of a number. */
const NUMBER = 4;
const RESULT_BITS = 2;
const RESULT_MASK = 3;
/** The highest internal number of a player or team. */
export const HIGHEST_NUMBER = 2 ** (32 - RESULT_BITS) - 1;
const HIGH = 2 ** 32;

/** In stored order. Those before "named" mean that the player took part. */
const RESULTS: readonly Result[] = ["lost", "won", "named"];

export const packResult = (result: Result): number => RESULTS.indexOf(result);
export const unpackResult = (stored: number): Result => RESULTS[stored]!;

/** `links` are the players and teams of a served match, whose numbers are known; undefined if it is withheld. */
export function encodeDocument(
  match: StoredMatch,
  links: Pick<MatchEntry, Linked> | undefined,
  numberOf: (table: Linked, id: string) => number,
): Uint8Array {
  const { players, teams } = links ?? { players: [], teams: [] };
  const mode = Buffer.from(match.gameMode);
  const patch = Buffer.from(match.patchVersion);
  const head = Buffer.alloc(LINKS + NUMBER * (players.length + teams.length));
  head.writeUInt32LE(match.createdAt >>> 0, TIME);
  head.writeInt32LE(Math.floor(match.createdAt / HIGH), TIME + NUMBER);
  head.writeUInt8(links ? 1 : 0, IS_SERVED);
  head.writeUInt16LE(players.length, PLAYERS);
  head.writeUInt16LE(teams.length, TEAMS);
  head.writeUInt16LE(mode.length, MODE_LENGTH);
  head.writeUInt16LE(patch.length, PATCH_LENGTH);
  let at = LINKS;
  const add = (number: number, result: number) => {
    at = head.writeUInt32LE(((number << RESULT_BITS) | result) >>> 0, at);
  };
  for (const { id, result } of players) add(numberOf("players", id), packResult(result));
  for (const { id, plays } of teams) add(numberOf("teams", id), plays ? 1 : 0);
  const parts = [head, mode, patch, match.encoded];
  const crc = parts.reduce((sum, part) => crc32(part, sum), crc32(match.id));
  return Buffer.concat([...parts, new Uint8Array(Uint32Array.of(crc).buffer)]);
}

/** Whether a stored value is that of the match with this id, and nothing is damaged. */
export function isWholeDocument(id: string, bytes: Uint8Array): boolean {
  // Values of a damaged row or index entry may have any type.
  return (
    typeof id === "string" &&
    bytes instanceof Uint8Array &&
    bytes.length > LINKS &&
    crc32(bytes, crc32(id)) === WHOLE
  );
}

export class MatchDocument {
  readonly #bytes: Uint8Array;
  readonly #start: number;
  /** Where the parts begin. */
  readonly #teams: number;
  readonly #mode: number;
  readonly #patch: number;

  /** `range` must be whole. */
  constructor(
    readonly id: string,
    readonly range: ByteRange,
  ) {
    const { bytes, start } = range;
    this.#bytes = bytes;
    this.#start = start;
    this.#teams = start + LINKS + NUMBER * readShort(bytes, start + PLAYERS);
    this.#mode = this.#teams + NUMBER * readShort(bytes, start + TEAMS);
    this.#patch = this.#mode + readShort(bytes, start + MODE_LENGTH);
  }

  /** Throws DamagedData unless the stored value is whole. */
  static read(id: string, bytes: Uint8Array): MatchDocument {
    if (!isWholeDocument(id, bytes)) throw new DamagedData("documents", id);
    return new MatchDocument(id, whole(bytes));
  }

  get isServed(): boolean {
    return this.#bytes[this.#start + IS_SERVED] === 1;
  }

  get createdAt(): number {
    const at = this.#start + TIME;
    return (readNumber(this.#bytes, at + NUMBER) | 0) * HIGH + readNumber(this.#bytes, at);
  }

  get key(): MatchKey {
    return { createdAt: this.createdAt, id: this.id };
  }

  get gameMode(): string {
    return this.#text(this.#mode, this.#patch);
  }

  get patchVersion(): string {
    return this.#text(this.#patch, this.#encoded);
  }

  get encoded(): ByteRange {
    return { bytes: this.#bytes, start: this.#encoded, end: this.range.end - NUMBER };
  }

  get #encoded(): number {
    return this.#patch + readShort(this.#bytes, this.#start + PATCH_LENGTH);
  }

  /** Adds the numbers that are not in the lists yet. */
  addNumbers(players: number[], teams: number[]): void {
    addNumbers(this.#bytes, this.#start + LINKS, this.#teams, players);
    addNumbers(this.#bytes, this.#teams, this.#mode, teams);
  }

  /** How the player or team with this number took part; undefined if the match does not name it. */
  resultOf(table: Linked, number: number): number | undefined {
    let found: number | undefined;
    this.#some(table, (num, result) => {
      if (num === number) found = result;
      return num === number;
    });
    return found;
  }

  /** Whether a player or team that took part passes a test. */
  hasParticipant(table: Linked, test: (num: number) => boolean): boolean {
    return this.#some(table, (num, result) => isParticipant(table, result) && test(num));
  }

  /** The numbers of those who took part. */
  participants(table: Linked): number[] {
    const nums: number[] = [];
    this.hasParticipant(table, (num) => nums.push(num) === 0);
    return nums;
  }

  /** All players with their results. */
  get players(): { num: number; result: Result }[] {
    const found: { num: number; result: Result }[] = [];
    this.#some("players", (num, result) => found.push({ num, result: unpackResult(result) }) === 0);
    return found;
  }

  #some(table: Linked, test: (num: number, result: number) => boolean): boolean {
    const isPlayers = table === "players";
    const end = isPlayers ? this.#teams : this.#mode;
    for (let at = isPlayers ? this.#start + LINKS : this.#teams; at < end; at += NUMBER) {
      const link = readNumber(this.#bytes, at);
      if (test(link >>> RESULT_BITS, link & RESULT_MASK)) return true;
    }
    return false;
  }

  #text(start: number, end: number): string {
    return Buffer.prototype.utf8Slice.call(this.#bytes, start, end);
  }
}

const isParticipant = (table: Linked, result: number): boolean =>
  table === "players" ? unpackResult(result) !== "named" : result === 1;

function addNumbers(bytes: Uint8Array, from: number, to: number, numbers: number[]): void {
  // The numbers of one match are distinct. There are few, so a linear search is fastest.
  const known = numbers.length;
  for (let at = from; at < to; at += NUMBER) {
    const number = readNumber(bytes, at) >>> RESULT_BITS;
    if (!isAmong(numbers, known, number)) numbers.push(number);
  }
}

/** Compiled code searches a short list faster than a call of includes(). */
function isAmong(numbers: readonly number[], known: number, number: number): boolean {
  for (let index = 0; index < known; index++) if (numbers[index] === number) return true;
  return false;
}

const readShort = (bytes: Uint8Array, at: number): number => bytes[at]! | (bytes[at + 1]! << 8);

/** Faster than creating a DataView. */
const readNumber = (bytes: Uint8Array, at: number): number =>
  (bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)) >>> 0;
