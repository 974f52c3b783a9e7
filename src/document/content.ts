/**
 * The content of a document: `data` and `included`, which depend on the records only. Links and meta, which depend on
 * the request, are written for each response.
 */

import { promisify } from "node:util";
import { constants, deflateRaw } from "node:zlib";
import { copyInto } from "../store/byte-range.ts";
import { joinCrc, mixed } from "./crc32.ts";
import { literalPiece, type Piece, pieceOf } from "./fragment.ts";
import { plainBody } from "./join-pieces.ts";

export interface Content {
  pieces: readonly Piece[];
  /** 64 bits that identify the content. */
  hash: string;
  /** The length of the compressed pieces. */
  size: number;
  /** Whether it was requested before, since the last change of the shard. */
  isHot: boolean;
}

export function contentOf(pieces: readonly Piece[]): Content {
  let size = 0;
  for (const { start, end } of pieces) size += end - start;
  return { pieces, hash: hashOf(pieces), size, isHot: false };
}

/** With the headers, a shorter text fits into one packet; compressing it takes a third of the whole request. */
export const MIN_COMPRESSED = 1024;

/** Of resources that are written for this response. */
export function jsonContent(data: readonly object[]): Content {
  const plain = Buffer.from(`{"data":${JSON.stringify(data)}`);
  return contentOf([plain.length < MIN_COMPRESSED ? literalPiece(plain) : pieceOf(plain)]);
}

/**
 * From the checksums of the pieces: plain bytes in one half, stored bytes in the other. The order of the pieces
 * counts.
 */
function hashOf(pieces: readonly Piece[]): string {
  let one = 0;
  let other = ~0;
  for (const { crc, storedCrc, length } of pieces) {
    one = mixed(one ^ crc);
    other = mixed(other ^ storedCrc) + length;
  }
  return (mixed(one) >>> 0).toString(36) + (mixed(other) >>> 0).toString(36).padStart(7, "0");
}

/** The same content in a buffer of its own: pieces are parts of larger buffers, and would keep those in memory. */
export function hotContent({ pieces, hash, size }: Content): Content {
  const bytes = Buffer.allocUnsafeSlow(size);
  let end = 0;
  for (const piece of pieces) end = copyInto(bytes, end, piece);
  return { pieces: [onePiece(bytes, pieces)], hash, size, isHot: true };
}

const deflateInPool = promisify<Uint8Array, object, Buffer>(deflateRaw);

/** As `gzip -6`; it ends in a full flush, so that the rest of a document can follow. */
const SMALL = { level: 6, finishFlush: constants.Z_FULL_FLUSH };

/** The content as one piece, compressed as a whole in another thread. */
export async function recompressed({ pieces }: Content): Promise<Piece> {
  return onePiece(await deflateInPool(plainBody(pieces, ""), SMALL), pieces);
}

/** Other compressed bytes of the same plain bytes. Only the hash of the content identifies them. */
function onePiece(bytes: Uint8Array, pieces: readonly Piece[]): Piece {
  let [length, crc] = [0, 0];
  for (const piece of pieces) {
    length += piece.length;
    crc = joinCrc(crc, piece.crc, piece.length);
  }
  return { bytes, start: 0, end: bytes.length, length, crc, storedCrc: 0 };
}
