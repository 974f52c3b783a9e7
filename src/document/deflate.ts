/** Compresses texts into pieces of raw deflate (RFC 1951) that can be joined in any order. */

import { constants, deflateRawSync } from "node:zlib";

/** Level 1 makes records a quarter larger; level 6 makes them 5 % smaller and takes a quarter longer. */
const LEVEL = 2;

/** The longest stored block, and the bytes before its content. */
const LONGEST_STORED = 0xffff;
const STORED_HEADER = 5;

/**
 * No block is the last one, nothing refers to bytes before the piece, and it ends at a byte boundary:
 * that is what a full flush does.
 */
export function deflate(plain: Uint8Array): Uint8Array {
  return deflateRawSync(plain, {
    level: LEVEL,
    finishFlush: constants.Z_FULL_FLUSH,
    // One chunk holds the result of nearly every text. The default of 16 KB is slower for short ones.
    chunkSize: plain.length + 64,
  });
}

/** The size of bytes in stored blocks, which hold them uncompressed. */
export function storedSize(length: number): number {
  return length + STORED_HEADER * Math.ceil(length / LONGEST_STORED);
}

/** Writes bytes as stored blocks and returns where they end. */
export function putStored(plain: Uint8Array, into: Uint8Array, start: number): number {
  let at = start;
  for (let from = 0; from < plain.length; from += LONGEST_STORED) {
    const block = plain.subarray(from, from + LONGEST_STORED);
    const { length } = block;
    into[at] = 0;
    into[at + 1] = length & 0xff;
    into[at + 2] = length >> 8;
    into[at + 3] = ~length & 0xff;
    into[at + 4] = (~length >> 8) & 0xff;
    into.set(block, at + STORED_HEADER);
    at += STORED_HEADER + length;
  }
  return at;
}
