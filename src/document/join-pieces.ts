/** Joins pieces: to one gzip member, or to plain bytes. */

import { crc32 } from "node:zlib";
import { copyInto } from "../store/byte-range.ts";
import type { Fragment } from "../store/store.ts";
import { joinCrc } from "./crc32.ts";
import { putStored, storedSize } from "./deflate.ts";
import { type Piece, readFragment } from "./fragment.ts";

/** No name, no time, unknown OS: equal pieces give equal bytes. */
const GZIP_HEADER = Uint8Array.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]);
/** An empty final block, then CRC and length, 4 bytes each. */
const TRAILER = 10;

/** Bodies are assembled here, one at a time: a response copies its body when it is created. */
let scratch = Buffer.allocUnsafeSlow(256 * 1024);
const MAX_SCRATCH = 4 << 20;

/** The pieces, then some text, as gzip. The bytes are valid until the next call. */
export function gzipBody(pieces: readonly Piece[], text: string): Uint8Array<ArrayBuffer> {
  const rest = bytesOf(text);
  let size = GZIP_HEADER.length + storedSize(rest.length) + TRAILER;
  for (const piece of pieces) size += piece.end - piece.start;

  const body = scratchOf(size);
  body.set(GZIP_HEADER);
  let at = GZIP_HEADER.length;
  let length = rest.length;
  let crc = 0;
  for (const piece of pieces) {
    at = copyInto(body, at, piece);
    length += piece.length;
    crc = joinCrc(crc, piece.crc, piece.length);
  }
  at = putStored(rest, body, at);
  body.writeUInt16LE(0x0003, at);
  body.writeUInt32LE(crc32(rest, crc), at + 2);
  body.writeUInt32LE(length >>> 0, at + 6);
  return body.subarray(0, size);
}

function scratchOf(size: number): Buffer<ArrayBuffer> {
  if (size <= scratch.length) return scratch;
  const larger = Buffer.allocUnsafeSlow(size);
  if (size <= MAX_SCRATCH) scratch = larger;
  return larger;
}

/** The same, uncompressed. Throws if the pieces are not what they say. */
export function plainBody(pieces: readonly Piece[], text: string): Buffer<ArrayBuffer> {
  // With the length in the gzip trailer, libdeflate needs half the time of zlib.
  const plain = Bun.gunzipSync(gzipBody(pieces, text), { library: "libdeflate" });
  return Buffer.from(plain.buffer, plain.byteOffset, plain.length);
}

/** The plain bytes of each piece. Inflates all at once, because each call has a high fixed cost. */
export function inflateEach(pieces: readonly Piece[]): Buffer[] {
  const plain = plainBody(pieces, "");
  let end = 0;
  return pieces.map(({ length }) => {
    end += length;
    return plain.subarray(end - length, end);
  });
}

/** The text of concatenated pieces. */
export const piecesText = (pieces: readonly Piece[]): string => plainBody(pieces, "").toString();

/** The JSON text of a fragment. */
export const fragmentText = (stored: Fragment): string => piecesText([readFragment(stored)]);

/** Reuses a buffer: these texts are mostly links, short and ASCII. */
function bytesOf(text: string): Uint8Array {
  const { read, written } = encoder.encodeInto(text, short);
  return read === text.length ? short.subarray(0, written) : Buffer.from(text);
}

const encoder = new TextEncoder();
const short = Buffer.allocUnsafeSlow(4096);
