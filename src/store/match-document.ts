/**
 * The stored value of a match, which checks itself. It is one column, because reading a column costs about as much as
 * finding the row.
 *
 * Layout, little-endian: CRC-32 of everything that follows (4 bytes); creation time (8); whether it is served (1); number
 * of players (2) and of teams (2); lengths of the id (1), game mode (2) and patch version (2); the internal numbers of
 * players and teams, in response order (4 each); how each took part (1 each); id, game mode, patch version; the encoded
 * match. A withheld match has no players and teams: they have no numbers.
 */

import { crc32 } from "node:zlib";
import type { Result } from "../domain/player.ts";
import type { ByteRange } from "./byte-range.ts";
import { DamagedData, type MatchEntry, type MatchKey, type StoredMatch } from "./store.ts";
import type { NamedTable } from "./tables.ts";

const TIME = 4;
const IS_SERVED = 12;
const PLAYERS = 13;
const TEAMS = 15;
const ID_LENGTH = 17;
const MODE_LENGTH = 18;
const PATCH_LENGTH = 20;
const NUMBERS = 22;
/** The bytes of a number, and those of a number and a result. */
const NUMBER = 4;
const LINK = NUMBER + 1;
const HIGH = 2 ** 32;

/** In stored order. Those before "named" mean that the player took part. */
const RESULTS: readonly Result[] = ["lost", "won", "named"];

export const packResult = (result: Result): number => RESULTS.indexOf(result);
export const unpackResult = (stored: number): Result => RESULTS[stored]!;

/** `numberOf` is called for the players and teams of a served match. */
export function encodeDocument(
  match: StoredMatch | MatchEntry,
  numberOf: (table: NamedTable, id: string) => number,
): Uint8Array {
  const { players, teams } = "players" in match ? match : { players: [], teams: [] };
  const id = Buffer.from(match.id);
  const mode = Buffer.from(match.gameMode);
  const patch = Buffer.from(match.patchVersion);
  const head = Buffer.alloc(NUMBERS + LINK * (players.length + teams.length));
  head.writeUInt32LE(match.createdAt >>> 0, TIME);
  head.writeInt32LE(Math.floor(match.createdAt / HIGH), TIME + NUMBER);
  head.writeUInt8("players" in match ? 1 : 0, IS_SERVED);
  head.writeUInt16LE(players.length, PLAYERS);
  head.writeUInt16LE(teams.length, TEAMS);
  head.writeUInt8(id.length, ID_LENGTH);
  head.writeUInt16LE(mode.length, MODE_LENGTH);
  head.writeUInt16LE(patch.length, PATCH_LENGTH);
  const links = [
    ...players.map((player) => [numberOf("players", player.id), packResult(player.result)]),
    ...teams.map((team) => [numberOf("teams", team.id), team.plays ? 1 : 0]),
  ] as [number: number, result: number][];
  for (const [index, [number, result]] of links.entries()) {
    head.writeUInt32LE(number, NUMBERS + NUMBER * index);
    head.writeUInt8(result, NUMBERS + NUMBER * links.length + index);
  }
  const document = Buffer.concat([head, id, mode, patch, match.encoded]);
  document.writeUInt32LE(crc32(document.subarray(TIME)), 0);
  return document;
}

export class MatchDocument {
  /** Must be whole, except for `isWhole()`. */
  constructor(readonly bytes: Uint8Array) {}

  /** Whether nothing is damaged, and it is the match with this id. */
  isWhole(id: string): boolean {
    const { bytes } = this;
    // A value of a damaged row may have any type.
    return (
      bytes instanceof Uint8Array &&
      bytes.length > NUMBERS &&
      readNumber(bytes, 0) === crc32(bytes.subarray(TIME)) &&
      this.#hasId(id)
    );
  }

  get isServed(): boolean {
    return this.bytes[IS_SERVED] === 1;
  }

  get createdAt(): number {
    return (readNumber(this.bytes, TIME + NUMBER) | 0) * HIGH + readNumber(this.bytes, TIME);
  }

  get id(): string {
    return this.#text(this.#idAt, this.bytes[ID_LENGTH]!);
  }

  get key(): MatchKey {
    return { createdAt: this.createdAt, id: this.id };
  }

  get gameMode(): string {
    return this.#text(this.#modeAt, readShort(this.bytes, MODE_LENGTH));
  }

  get patchVersion(): string {
    return this.#text(this.#patchAt, readShort(this.bytes, PATCH_LENGTH));
  }

  get encoded(): ByteRange {
    const start = this.#patchAt + readShort(this.bytes, PATCH_LENGTH);
    return { bytes: this.bytes, start, end: this.bytes.length };
  }

  /** Adds the numbers that are not in the lists yet. */
  addNumbers(players: number[], teams: number[]): void {
    const teamsAt = NUMBERS + NUMBER * readShort(this.bytes, PLAYERS);
    const end = teamsAt + NUMBER * readShort(this.bytes, TEAMS);
    addNumbers(this.bytes, NUMBERS, teamsAt, players);
    addNumbers(this.bytes, teamsAt, end, teams);
  }

  /** How the player or team with this number took part; undefined if the match does not name it. */
  resultOf(table: NamedTable, number: number): number | undefined {
    return this.#links(table).find(([num]) => num === number)?.[1];
  }

  /** Whether some player or team passes a test, given its number and whether it took part. */
  some(table: NamedTable, test: (num: number, tookPart: boolean) => boolean): boolean {
    return this.#links(table).some(([num, result]) => test(num, tookPart(table, result)));
  }

  /** All players with their results. */
  get players(): { num: number; result: Result }[] {
    return this.#links("players").map(([num, result]) => ({ num, result: unpackResult(result) }));
  }

  /** The numbers of those who took part. */
  participants(table: NamedTable): number[] {
    return this.#links(table).flatMap(([num, result]) => (tookPart(table, result) ? num : []));
  }

  #links(table: NamedTable): [number: number, result: number][] {
    const players = readShort(this.bytes, PLAYERS);
    const all = this.#linkCount;
    const [first, end] = table === "players" ? [0, players] : [players, all];
    const links: [number, number][] = [];
    for (let at = first; at < end; at++) {
      const number = readNumber(this.bytes, NUMBERS + NUMBER * at);
      links.push([number, this.bytes[NUMBERS + NUMBER * all + at]!]);
    }
    return links;
  }

  get #linkCount(): number {
    return readShort(this.bytes, PLAYERS) + readShort(this.bytes, TEAMS);
  }

  get #idAt(): number {
    return NUMBERS + LINK * this.#linkCount;
  }

  get #modeAt(): number {
    return this.#idAt + this.bytes[ID_LENGTH]!;
  }

  get #patchAt(): number {
    return this.#modeAt + readShort(this.bytes, MODE_LENGTH);
  }

  /** Ids are ASCII. That of a damaged index entry may have another type. */
  #hasId(id: string): boolean {
    if (typeof id !== "string" || this.bytes[ID_LENGTH] !== id.length) return false;
    const start = this.#idAt;
    for (let at = 0; at < id.length; at++) {
      if (this.bytes[start + at] !== id.charCodeAt(at)) return false;
    }
    return true;
  }

  #text(start: number, length: number): string {
    return Buffer.prototype.utf8Slice.call(this.bytes, start, start + length);
  }
}

const tookPart = (table: NamedTable, result: number): boolean =>
  table === "players" ? unpackResult(result) !== "named" : result === 1;

/** The match that an index entry leads to. Throws DamagedData unless it is that match, and served. */
export function listedDocument(
  { createdAt, id }: MatchKey,
  bytes: Uint8Array | null | undefined,
): MatchDocument {
  const document = new MatchDocument(bytes as Uint8Array);
  if (!document.isWhole(id)) throw new DamagedData("documents", id);
  if (!document.isServed || document.createdAt !== createdAt) throw new DamagedData("matches", id);
  return document;
}

function addNumbers(bytes: Uint8Array, from: number, to: number, numbers: number[]): void {
  // The numbers of one match are distinct. There are few, so a linear search is fastest.
  const known = numbers.length;
  for (let at = from; at < to; at += NUMBER) {
    const number = readNumber(bytes, at);
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
