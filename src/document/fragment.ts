/**
 * Fragments: JSON made once, at ingest, and kept compressed in a form that can be laid
 * into a gzip reply as it is.
 *
 * Stored form: length of the plain bytes (4), their CRC-32 (4), a CRC-32 over everything else
 * stored (4), all little-endian; then raw deflate that ends in a full flush.
 */

import { constants, crc32, inflateRawSync } from "node:zlib";
import { type ByteRange, viewOf, whole } from "../store/byte-range.ts";
import type { Fragment } from "../store/store.ts";
import { joinCrc } from "./crc32.ts";
import { deflate, putStored, storedSize } from "./deflate.ts";

const HEADER = 12;
const EMPTY_HEADER = new Uint8Array(HEADER);

/** Plain bytes, deflated so that pieces can be laid one after another: where that lies, and what is in it. */
export interface Piece extends ByteRange {
  /** Of the plain bytes. */
  length: number;
  crc: number;
  /** Tells pieces apart, together with `crc`: a checksum of the stored form. */
  mark: number;
}

/** A fragment whose bytes are not those that were stored. */
export class DamagedFragment extends Error {
  override name = "DamagedFragment";

  constructor() {
    super("a stored fragment does not have its checksum");
  }
}

export function writeFragment(text: string): Fragment {
  const plain = Buffer.from(text);
  return sealed([deflate(plain)], plain.length, crc32(plain));
}

/**
 * A fragment that mostly follows others in a list: the comma before it is part of it, as a block of
 * its own that can be left out.
 */
export function writeFollowing(text: string): Fragment {
  const plain = Buffer.from(text);
  const crc = joinCrc(COMMA.crc, crc32(plain), plain.length);
  return sealed([COMMA.bytes, deflate(plain)], COMMA.length + plain.length, crc);
}

/** The piece of such a fragment, where nothing stands before it. */
export function withoutComma(after: Piece): Piece {
  const length = after.length - COMMA.length;
  return {
    bytes: after.bytes,
    start: after.start + COMMA.end,
    end: after.end,
    length,
    // Joining works by exclusive or, and so does taking back what was joined.
    crc: joinCrc(COMMA.crc, after.crc, length),
    mark: after.mark,
  };
}

/** Throws DamagedFragment when these are not the bytes that were stored. */
export function checkFragment(stored: Fragment): void {
  if (stored.length < HEADER || numberAt(stored, 8) !== storedCrc(stored)) {
    throw new DamagedFragment();
  }
}

/** Reads a fragment for stitching, without inflating it. Throws DamagedFragment. */
export function readFragment(stored: Fragment): Piece {
  checkFragment(stored);
  return readCheckedFragment(whole(stored));
}

/** The same for a fragment that was checked before. */
export function readCheckedFragment({ bytes, start, end }: ByteRange): Piece {
  return {
    bytes,
    start: start + HEADER,
    end,
    length: numberAt(bytes, start),
    crc: numberAt(bytes, start + 4),
    mark: numberAt(bytes, start + 8),
  };
}

/** The JSON text of a fragment. Throws DamagedFragment. */
export function fragmentText(stored: Fragment): string {
  return piecesText([readFragment(stored)]);
}

/** The text of pieces laid one after another. */
export function piecesText(pieces: readonly Piece[]): string {
  return inflatePieces(pieces).toString();
}

/** A piece made for one reply only. */
export function pieceOf(text: string): Piece {
  const plain = Buffer.from(text);
  const deflated = deflate(plain);
  return { ...whole(deflated), length: plain.length, crc: crc32(plain), mark: crc32(deflated) };
}

/** A short piece that is not worth compressing. */
export function literalPiece(text: string): Piece {
  const plain = Buffer.from(text);
  const deflated = Buffer.allocUnsafe(storedSize(plain.length));
  putStored(plain, deflated, 0);
  const crc = crc32(plain);
  return { ...whole(deflated), length: plain.length, crc, mark: crc };
}

export const COMMA = literalPiece(",");

/** The plain bytes of pieces laid one after another. */
export function inflatePieces(pieces: readonly Piece[]): Buffer {
  const deflated = pieces.length === 1 ? viewOf(pieces[0]!) : Buffer.concat(pieces.map(viewOf));
  return inflateRawSync(deflated, { finishFlush: constants.Z_SYNC_FLUSH });
}

/** The plain bytes of each piece, inflated in one go: to begin takes as long as a short text does. */
export function inflateEach(pieces: readonly Piece[]): Buffer[] {
  const plain = inflatePieces(pieces);
  let end = 0;
  return pieces.map(({ length }) => {
    end += length;
    return plain.subarray(end - length, end);
  });
}

/** Four bytes as a number. (A DataView would do, but to make one costs more than all it reads.) */
export function numberAt(bytes: Uint8Array, at: number): number {
  return (
    (bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)) >>> 0
  );
}

/** Puts the header in front. */
function sealed(deflated: Uint8Array[], length: number, crc: number): Fragment {
  const stored = Buffer.concat([EMPTY_HEADER, ...deflated]);
  stored.writeUInt32LE(length, 0);
  stored.writeUInt32LE(crc, 4);
  stored.writeUInt32LE(storedCrc(stored), 8);
  return stored;
}

function storedCrc(stored: Uint8Array): number {
  return crc32(stored.subarray(HEADER), crc32(stored.subarray(0, 8)));
}
