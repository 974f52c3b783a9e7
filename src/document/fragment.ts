/**
 * Fragments: JSON that is compressed once, at ingest, and copied unchanged into gzip responses.
 *
 * Layout, little-endian: length of the plain bytes (4 bytes); their CRC-32 (4); CRC-32 of
 * everything else stored (4); raw deflate that ends in a full flush.
 */

import { crc32 } from "node:zlib";
import { type ByteRange, whole } from "../store/byte-range.ts";
import type { Fragment } from "../store/store.ts";
import { joinCrc } from "./crc32.ts";
import { deflate, putStored, storedSize } from "./deflate.ts";

const HEADER = 12;
const EMPTY_HEADER = new Uint8Array(HEADER);

/** Compressed bytes that can be concatenated with others, and facts about the plain bytes. */
export interface Piece extends ByteRange {
  /** Length of the plain bytes. */
  length: number;
  crc: number;
  /** A checksum of the stored form. Together with `crc` it identifies a piece. */
  storedCrc: number;
}

export function writeFragment(text: string): Fragment {
  const plain = Buffer.from(text);
  return withHeader([deflate(plain)], plain.length, crc32(plain));
}

/**
 * A fragment for use in lists. It starts with a comma, in a block of its own that can be skipped.
 */
export function writeFollowing(text: string): Fragment {
  const plain = Buffer.from(text);
  const crc = joinCrc(COMMA.crc, crc32(plain), plain.length);
  return withHeader([COMMA.bytes, deflate(plain)], COMMA.length + plain.length, crc);
}

/** Skips the comma, for the first fragment of a list. */
export function withoutComma(after: Piece): Piece {
  const length = after.length - COMMA.length;
  return {
    bytes: after.bytes,
    start: after.start + COMMA.end,
    end: after.end,
    length,
    // joinCrc() is an XOR, so it also removes what was joined.
    crc: joinCrc(COMMA.crc, after.crc, length),
    storedCrc: after.storedCrc,
  };
}

/** Reads a fragment for joining, without inflating it. The store has verified it. */
export const readFragment = (stored: Fragment): Piece => pieceIn(whole(stored));

/** The same for a fragment within a larger buffer. */
export function pieceIn({ bytes, start, end }: ByteRange): Piece {
  return {
    bytes,
    start: start + HEADER,
    end,
    length: numberAt(bytes, start),
    crc: numberAt(bytes, start + 4),
    storedCrc: numberAt(bytes, start + 8),
  };
}

/** A piece for one response only. */
export function pieceOf(plain: Uint8Array): Piece {
  const deflated = deflate(plain);
  return {
    ...whole(deflated),
    length: plain.length,
    crc: crc32(plain),
    storedCrc: crc32(deflated),
  };
}

/** An uncompressed piece, for short texts. */
export function literalPiece(text: string | Uint8Array): Piece {
  const plain = typeof text === "string" ? Buffer.from(text) : text;
  const deflated = Buffer.allocUnsafe(storedSize(plain.length));
  putStored(plain, deflated, 0);
  const crc = crc32(plain);
  return { ...whole(deflated), length: plain.length, crc, storedCrc: crc };
}

export const COMMA = literalPiece(",");

/** Faster than creating a DataView. */
export function numberAt(bytes: Uint8Array, at: number): number {
  return (
    (bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)) >>> 0
  );
}

function withHeader(deflated: Uint8Array[], length: number, crc: number): Fragment {
  const stored = Buffer.concat([EMPTY_HEADER, ...deflated]);
  stored.writeUInt32LE(length, 0);
  stored.writeUInt32LE(crc, 4);
  stored.writeUInt32LE(crcOfStored(stored), 8);
  return stored;
}

function crcOfStored(stored: Uint8Array): number {
  return crc32(stored.subarray(HEADER), crc32(stored.subarray(0, 8)));
}
