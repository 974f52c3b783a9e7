/** In charge of the small encodings inside rows: lists of numbers, what is served of a match. */

import type { Fragment } from "./store.ts";

const NUMBER = 4;

export function packNumbers(numbers: number[]): Uint8Array {
  const packed = Buffer.allocUnsafe(NUMBER * numbers.length);
  numbers.forEach((number, index) => {
    packed.writeUInt32LE(number, NUMBER * index);
  });
  return packed;
}

export function unpackNumbers(packed: Uint8Array): number[] {
  const view = new DataView(packed.buffer, packed.byteOffset, packed.byteLength);
  return Array.from({ length: packed.byteLength / NUMBER }, (_, index) =>
    view.getUint32(NUMBER * index, true),
  );
}

/** The numbers of players and teams, in the order in which a reply includes them, and the sheet. */
export interface Served {
  players: number[];
  teams: number[];
  sheet: Fragment;
}

const COUNTS = 4;

/** Two counts, 2 bytes each; the numbers; the sheet. */
export function packServed({ players, teams, sheet }: Served): Uint8Array {
  const numbers = [...players, ...teams];
  const packed = Buffer.allocUnsafe(COUNTS + NUMBER * numbers.length + sheet.length);
  packed.writeUInt16LE(players.length, 0);
  packed.writeUInt16LE(teams.length, 2);
  numbers.forEach((number, index) => {
    packed.writeUInt32LE(number, COUNTS + NUMBER * index);
  });
  packed.set(sheet, COUNTS + NUMBER * numbers.length);
  return packed;
}

/** Adds to the numbers those that are not among them yet; gives the sheet. */
export function unpackServed(packed: Uint8Array, players: number[], teams: number[]): Fragment {
  const teamsAt = COUNTS + NUMBER * (packed[0]! | (packed[1]! << 8));
  const sheetAt = teamsAt + NUMBER * (packed[2]! | (packed[3]! << 8));
  addNumbers(packed, COUNTS, teamsAt, players);
  addNumbers(packed, teamsAt, sheetAt, teams);
  return packed.subarray(sheetAt);
}

function addNumbers(packed: Uint8Array, from: number, to: number, numbers: number[]): void {
  // Those of one match are different anyway. There are few: to look through them is the quickest.
  const known = numbers.length;
  for (let at = from; at < to; at += NUMBER) {
    // Not by a DataView: to make one costs more than all it would read here.
    const number =
      (packed[at]! | (packed[at + 1]! << 8) | (packed[at + 2]! << 16) | (packed[at + 3]! << 24)) >>>
      0;
    if (known === 0 || !numbers.includes(number)) numbers.push(number);
  }
}

export function sheetOf(packed: Uint8Array): Fragment {
  return unpackServed(packed, [], []);
}
