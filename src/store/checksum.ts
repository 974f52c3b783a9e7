/**
 * Row checksums. A row's checksum covers every value of the row that decides a response, and the key it is
 * found by, so that a row that was altered, or that an index leads to by mistake, is not served.
 */

import { crc32 } from "node:zlib";

type Value = string | number | Uint8Array | null;

/**
 * 32 bits. Every step is invertible, so that a change of one value changes the checksum whenever it changes
 * the hash of that value.
 */
export function checksum(values: readonly Value[]): number {
  let sum = values.length;
  for (const value of values) {
    if (typeof value === "number") {
      sum = mix(mix(sum, value | 0), Math.floor(value / 2 ** 32) | 0);
    } else sum = mix(sum, value === null ? NULL : crc32(value));
  }
  return sum >>> 0;
}

const NULL = 0x6e756c6c;

function mix(sum: number, hash: number): number {
  const product = Math.imul(sum ^ hash, 0x85ebca6b);
  return product ^ (product >>> 15);
}
