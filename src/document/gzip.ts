/** In charge of turning pieces into a reply body: one gzip member, or the plain bytes. */

import { joinCrc } from "./crc32.ts";
import { inflate, type Piece } from "./fragment.ts";

/** No name, no time, unknown operating system: equal pieces give equal bytes. */
const GZIP_HEADER = Uint8Array.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]);
/** An empty last block, then four bytes of CRC and four of length. */
const TRAILER = 10;

export function gzipBody(pieces: readonly Piece[]): Uint8Array<ArrayBuffer> {
  let size = GZIP_HEADER.length + TRAILER;
  for (const piece of pieces) size += piece.deflated.length;

  const body = Buffer.allocUnsafeSlow(size);
  body.set(GZIP_HEADER);
  let at = GZIP_HEADER.length;
  let length = 0;
  let crc = 0;
  for (const piece of pieces) {
    body.set(piece.deflated, at);
    at += piece.deflated.length;
    length += piece.length;
    crc = joinCrc(crc, piece.crc, piece.factor);
  }
  body.writeUInt16LE(0x0003, at);
  body.writeUInt32LE(crc, at + 2);
  body.writeUInt32LE(length >>> 0, at + 6);
  return body;
}

export function plainBody(pieces: readonly Piece[]): Uint8Array<ArrayBuffer> {
  return new Uint8Array(inflate(Buffer.concat(pieces.map((piece) => piece.deflated))));
}
