/** In charge of the stored form of a counter of different records: their hashes, or the sketch of them. */

import { type Hash, REGISTERS } from "./sketch.ts";

/** Up to here the hashes themselves are kept. */
export const COUNTED_EXACTLY = 1024;

/** The first byte. */
const EXACT = 1;
const SKETCHED = 2;

export type Kept = { hashes: Hash[] } | { registers: Uint8Array };

/** Undefined when the bytes are something else. */
export function readKept(bytes: Uint8Array): Kept | undefined {
  // A copy with memory of its own: slices of a Buffer share theirs with others.
  const body = new Uint8Array(bytes.subarray(1));
  if (bytes[0] === SKETCHED && body.length === REGISTERS) return { registers: body };
  if (bytes[0] !== EXACT || body.length % 8 !== 0 || body.length > 8 * COUNTED_EXACTLY) {
    return undefined;
  }
  const halves = new Uint32Array(body.buffer);
  const hashes: Hash[] = [];
  for (let at = 0; at < halves.length; at += 2) {
    hashes.push({ high: halves[at]!, low: halves[at + 1]! });
  }
  return { hashes };
}

export function writeHashes(hashes: readonly Hash[]): Uint8Array {
  const halves = Uint32Array.from(hashes.flatMap(({ high, low }) => [high, low]));
  return Buffer.concat([Uint8Array.of(EXACT), new Uint8Array(halves.buffer)]);
}

export function writeRegisters(registers: Uint8Array): Uint8Array {
  return Buffer.concat([Uint8Array.of(SKETCHED), registers]);
}
