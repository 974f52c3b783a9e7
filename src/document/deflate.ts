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
  let at = room;
  for (let start = 0; start < plain.length; start += LONGEST_STORED) {
    const chunk = plain.subarray(start, start + LONGEST_STORED);
    piece[at + 1] = chunk.length & 0xff;
    piece[at + 2] = chunk.length >> 8;
    piece[at + 3] = ~chunk.length & 0xff;
    piece[at + 4] = (~chunk.length >> 8) & 0xff;
    piece.set(chunk, at + STORED_HEADER);
    at += STORED_HEADER + chunk.length;
  }
  piece.set(FLUSH, at + 1);
  return piece;
}

function storedSize(length: number): number {
  return length + STORED_HEADER * Math.ceil(length / LONGEST_STORED);
}
