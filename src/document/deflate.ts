/**
 * In charge of compressing a text into a piece of raw deflate (RFC 1951) that can be laid before and
 * after others: no block of it is the last, it refers to nothing before its own start, and it ends
 * at a byte boundary with an empty block, as a full flush does.
 *
 * Fragments are short, and there are many of them. What takes zlib most of its time with such a text
 * is to make codes for it alone; here it mostly gets codes that were made before, for texts like it.
 */

import { constants, deflateRawSync } from "node:zlib";
import { BitWriter } from "./deflate-bits.ts";
import { chooseCodes } from "./deflate-choice.ts";
import {
  distanceCounts,
  findMatches,
  LONGEST_TEXT,
  literalCounts,
  matches,
  text,
} from "./deflate-matches.ts";

/** Of the blocks that hold bytes as they are. */
const LONGEST_STORED = 0xffff;
const STORED_HEADER = 5;
/** The empty block at the end. */
const FLUSH = Uint8Array.of(0, 0, 0xff, 0xff);

const writer = new BitWriter(LONGEST_TEXT + 64);

/** `room` is how many bytes are left free in front of the piece, for whatever the caller has to say. */
export function deflate(plain: Uint8Array, room = 0): Uint8Array<ArrayBuffer> {
  if (plain.length > LONGEST_TEXT) return deflateLong(plain, room);
  const used = findMatches(plain);
  const codes = chooseCodes(literalCounts, distanceCounts, plain.length, storedSize(plain.length));
  if (!codes) return store(plain, room);

  codes.start(writer);
  writer.putTokens(text, plain.length, matches, used, codes);
  // An uncompressed block: three bits of zero, then zeros up to the boundary.
  writer.put(0, 3);
  writer.align();
  writer.putBytes(FLUSH);
  const piece = new Uint8Array(room + writer.length);
  piece.set(writer.bytes.subarray(0, writer.length), room);
  return piece;
}

/** With a long text, making codes does not weigh much, and zlib's longer search pays. */
function deflateLong(plain: Uint8Array, room: number): Uint8Array<ArrayBuffer> {
  const deflated = deflateRawSync(plain, {
    finishFlush: constants.Z_FULL_FLUSH,
    chunkSize: plain.length,
  });
  if (deflated.length > storedSize(plain.length)) return store(plain, room);
  const piece = new Uint8Array(room + deflated.length);
  piece.set(deflated, room);
  return piece;
}

/** What does not get shorter is sent as it is. */
function store(plain: Uint8Array, room: number): Uint8Array<ArrayBuffer> {
  const piece = new Uint8Array(room + storedSize(plain.length) + 1 + FLUSH.length);
  const end = putStored(plain, piece, room);
  piece.set(FLUSH, end + 1);
  return piece;
}

/** How many bytes plain ones take in blocks that hold them as they are. */
export function storedSize(length: number): number {
  return length + STORED_HEADER * Math.ceil(length / LONGEST_STORED);
}

/** Writes plain bytes as such blocks; says where they end. */
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
