/** In charge of the small encodings inside rows: lists of numbers, results. */

import type { Result } from "../../domain/player.ts";

/** Results in their stored order; those below "named" are parts in the match. */
const RESULTS: readonly Result[] = ["lost", "won", "named"];

export const packResult = (result: Result): number => RESULTS.indexOf(result);
export const unpackResult = (stored: number): Result => RESULTS[stored]!;

export function packNumbers(numbers: number[]): Uint8Array {
  const packed = Buffer.allocUnsafe(4 * numbers.length);
  numbers.forEach((number, index) => {
    packed.writeUInt32LE(number, 4 * index);
  });
  return packed;
}

export function unpackNumbers(packed: Uint8Array): number[] {
  const view = new DataView(packed.buffer, packed.byteOffset, packed.byteLength);
  return Array.from({ length: packed.byteLength / 4 }, (_, index) =>
    view.getUint32(4 * index, true),
  );
}
