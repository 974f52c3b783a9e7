/** Compresses texts to raw deflate (RFC 1951) pieces that can be concatenated in any order. */

import { constants, deflateRawSync } from "node:zlib";
import { endOfOnlyBlock } from "./deflate-block.ts";

/** Of zlib. Level 1 makes texts 25 % larger. */
const LEVEL = 2;
/** Half the time of zlib, and no larger. It can only write complete streams. */
const LIBRARY = "libdeflate";
/** Of it. A longer text gets 3 % smaller with THOROUGH, for half the time more. */
const FASTEST = 1;
export const THOROUGH = 4;
/** zlib is as fast for shorter texts. */
const SHORT = 64;

/** The maximum size of a stored block, and the size of its header. */
const MAX_STORED = 0xffff;
const STORED_HEADER = 5;
/** What follows the three bits of the header of an empty stored block. */
const EMPTY = [0, 0, 0xff, 0xff];

/** Ends in a full flush: no final block, no references to earlier bytes, byte-aligned. */
export function deflate(plain: Uint8Array, level: 1 | 4 = FASTEST): Uint8Array {
  const options = { library: LIBRARY, level } as const;
  const stream = plain.length > SHORT && Bun.deflateSync(plain as Uint8Array<ArrayBuffer>, options);
  const end = stream && endOfOnlyBlock(stream);
  return end ? flushed(stream, end) : deflateSlowly(plain);
}

/** Makes the only block not the final one, and appends an empty one. */
function flushed(stream: Uint8Array, end: number): Uint8Array {
  const emptyAt = Math.ceil((end + 3) / 8);
  const bytes = new Uint8Array(emptyAt + EMPTY.length);
  bytes.set(stream);
  bytes[0]! &= ~1;
  bytes.set(EMPTY, emptyAt);
  return bytes;
}

/** Where the end of the stream is unknown. */
function deflateSlowly(plain: Uint8Array): Uint8Array {
  return deflateRawSync(plain, {
    level: LEVEL,
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
