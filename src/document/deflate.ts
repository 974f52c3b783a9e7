/** Compresses texts to raw deflate (RFC 1951) pieces that can be concatenated in any order. */

import { constants, deflateRawSync } from "node:zlib";

/** Level 1 makes records 25 % larger. Level 6 makes them 5 % smaller and takes 25 % longer. */
const LEVEL = 2;
/** For text that is sent once: takes little more than half the time. */
export const FASTEST = 1;

/** The maximum size of a stored block, and the size of its header. */
const MAX_STORED = 0xffff;
const STORED_HEADER = 5;

/** Ends in a full flush: no final block, no references to earlier bytes, byte-aligned. */
export function deflate(plain: Uint8Array, level = LEVEL): Uint8Array {
  return deflateRawSync(plain, {
    level,
    finishFlush: constants.Z_FULL_FLUSH,
    // Holds nearly every result in one chunk. The default of 16 KB is slower for short texts.
    chunkSize: plain.length + 64,
  });
}

/** The size of `length` bytes in stored (uncompressed) blocks. */
export function storedSize(length: number): number {
  return length + STORED_HEADER * Math.ceil(length / MAX_STORED);
}

/** Writes bytes as stored blocks and returns the end position. */
export function putStored(plain: Uint8Array, into: Uint8Array, start: number): number {
  let at = start;
  for (let from = 0; from < plain.length; from += MAX_STORED) {
    const block = plain.subarray(from, from + MAX_STORED);
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
