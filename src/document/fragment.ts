/**
 * In charge of fragments: JSON made once, at ingest, and kept compressed in a form that can be laid
 * into a gzip reply as it is.
 *
 * Stored form: length of the plain bytes (4), their CRC-32 (4), a CRC-32 over everything else
 * stored (4), all little-endian; then raw deflate that ends in a full flush.
 */

import { constants, crc32, deflateRawSync, inflateRawSync } from "node:zlib";
import type { Fragment } from "../store/store.ts";
import { appendFactor } from "./crc32.ts";

const HEADER = 12;
const SMALLEST_CHUNK = 256;

/** A length of plain bytes, deflated so that pieces can be laid one after another. */
export interface Piece {
  deflated: Uint8Array;
  length: number;
  crc: number;
  /** What appending this piece multiplies a CRC by. */
  factor: number;
}

/** A fragment whose bytes are not those that were stored. */
export class DamagedFragment extends Error {
  override name = "DamagedFragment";
}

export function writeFragment(text: string): Fragment {
  const plain = Buffer.from(text);
  const deflated = deflate(plain);
  const stored = Buffer.allocUnsafe(HEADER + deflated.length);
  stored.writeUInt32LE(plain.length, 0);
  stored.writeUInt32LE(crc32(plain), 4);
  stored.set(deflated, HEADER);
  stored.writeUInt32LE(storedCrc(stored), 8);
  return stored;
}

/** Reads a fragment for stitching, without inflating it. Throws DamagedFragment. */
export function readFragment(stored: Fragment): Piece {
  const bytes = Buffer.from(stored.buffer, stored.byteOffset, stored.byteLength);
  if (bytes.length < HEADER || bytes.readUInt32LE(8) !== storedCrc(bytes)) {
    throw new DamagedFragment("a stored fragment does not have its checksum");
  }
  const length = bytes.readUInt32LE(0);
  return {
    deflated: bytes.subarray(HEADER),
    length,
    crc: bytes.readUInt32LE(4),
    factor: appendFactor(length),
  };
}

/** The JSON text of a fragment. Throws DamagedFragment. */
export function fragmentText(stored: Fragment): string {
  return inflate(readFragment(stored).deflated).toString();
}

/** A piece made for one reply only. */
export function pieceOf(text: string): Piece {
  const plain = Buffer.from(text);
  return {
    deflated: deflate(plain),
    length: plain.length,
    crc: crc32(plain),
    factor: appendFactor(plain.length),
  };
}

/** A short piece that is not worth compressing: deflate's own "stored" blocks around the bytes. */
export function literalPiece(text: string): Piece {
  const plain = Buffer.from(text);
  const blocks: Uint8Array[] = [];
  for (let start = 0; start < plain.length; start += 0xffff) {
    const chunk = plain.subarray(start, start + 0xffff);
    const header = Buffer.alloc(5);
    header.writeUInt16LE(chunk.length, 1);
    header.writeUInt16LE(~chunk.length & 0xffff, 3);
    blocks.push(header, chunk);
  }
  return {
    deflated: Buffer.concat(blocks),
    length: plain.length,
    crc: crc32(plain),
    factor: appendFactor(plain.length),
  };
}

/** Inflates one piece or many laid one after another. */
export function inflate(deflated: Uint8Array): Buffer {
  return inflateRawSync(deflated, { finishFlush: constants.Z_SYNC_FLUSH });
}

function deflate(plain: Uint8Array): Buffer {
  // Room for the result in one piece: the usual 16 KiB for each small fragment is mostly garbage.
  const chunkSize = Math.max(SMALLEST_CHUNK, plain.length);
  return deflateRawSync(plain, { finishFlush: constants.Z_FULL_FLUSH, chunkSize });
}

function storedCrc(stored: Uint8Array): number {
  return crc32(stored.subarray(HEADER), crc32(stored.subarray(0, 8)));
}
