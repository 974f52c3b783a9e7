/**
 * In charge of the sheet of a match: its resource and what only it includes, two pieces in one
 * stored form, so that a reply takes one look-up a match.
 *
 * Stored form, little-endian: a CRC-32 over everything that follows (4); whether it may be stitched
 * (1); how many resources there are (2); of the resource's piece the deflated length (4), length (4)
 * and CRC-32 (4); of the included's piece the length (4) and CRC-32 (4); a short hash for each
 * resource (4 each); the two pieces.
 */

import { crc32 } from "node:zlib";
import type { Fragment } from "../store/store.ts";
import { deflate } from "./deflate.ts";
import { DamagedFragment, type Piece, viewOf } from "./fragment.ts";

const HEADER = 27;
const HASH = 4;

export interface SheetTexts {
  resource: string;
  /** Resources one after another, with commas between them. */
  included: string;
  /** "type/id" of every resource in the two texts. */
  keys: string[];
  /** False when only a document written anew can be right. */
  stitchable: boolean;
}

export interface Sheet {
  resource: Piece;
  included: Piece;
  stitchable: boolean;
  /** A short hash for each resource, to tell whether two matches carry the same one. */
  hashes: DataView;
}

export function writeSheet({ resource, included, keys, stitchable }: SheetTexts): Fragment {
  const plain = [Buffer.from(resource), Buffer.from(included)] as const;
  const second = deflate(plain[1]);
  const piecesAt = HEADER + HASH * keys.length;
  const first = deflate(plain[0], piecesAt);
  const stored = Buffer.allocUnsafeSlow(first.length + second.length);
  stored.set(first);
  stored.set(second, first.length);
  stored.writeUInt8(stitchable ? 1 : 0, 4);
  stored.writeUInt16LE(keys.length, 5);
  stored.writeUInt32LE(first.length - piecesAt, 7);
  stored.writeUInt32LE(plain[0].length, 11);
  stored.writeUInt32LE(crc32(plain[0]), 15);
  stored.writeUInt32LE(plain[1].length, 19);
  stored.writeUInt32LE(crc32(plain[1]), 23);
  keys.forEach((key, index) => {
    stored.writeUInt32LE(crc32(key), HEADER + HASH * index);
  });
  stored.writeUInt32LE(crc32(stored.subarray(4)), 0);
  return stored;
}

/** Reads a sheet for stitching, without inflating it. Throws DamagedFragment. */
export function readSheet(stored: Fragment): Sheet {
  const view = viewOf(stored);
  const mark = crc32(stored.subarray(4));
  if (stored.length < HEADER || view.getUint32(0, true) !== mark) throw new DamagedFragment();
  const hashBytes = HASH * view.getUint16(5, true);
  const firstAt = HEADER + hashBytes;
  const secondAt = firstAt + view.getUint32(7, true);
  return {
    resource: {
      deflated: stored.subarray(firstAt, secondAt),
      length: view.getUint32(11, true),
      crc: view.getUint32(15, true),
      mark,
    },
    included: {
      deflated: stored.subarray(secondAt),
      length: view.getUint32(19, true),
      crc: view.getUint32(23, true),
      mark,
    },
    stitchable: view.getUint8(4) === 1,
    hashes: new DataView(stored.buffer, stored.byteOffset + HEADER, hashBytes),
  };
}

/** Marks in which a hash was seen. A mark may be shared; then the hashes themselves are compared. */
const MARKS = 1 << 13;
const marked = new Int32Array(MARKS / 32);

/** Whether two sheets (very probably) carry the same resource, which a reply may hold only once. */
export function repeatResources(sheets: readonly Sheet[]): boolean {
  if (sheets.length < 2) return false;
  marked.fill(0);
  for (const { hashes } of sheets) {
    for (let at = 0; at < hashes.byteLength; at += HASH) {
      const mark = hashes.getUint32(at, true) % MARKS;
      const bit = 1 << (mark & 31);
      if (marked[mark >>> 5]! & bit) return haveEqualHashes(sheets);
      marked[mark >>> 5]! |= bit;
    }
  }
  return false;
}

function haveEqualHashes(sheets: readonly Sheet[]): boolean {
  const seen = new Set<number>();
  for (const { hashes } of sheets) {
    for (let at = 0; at < hashes.byteLength; at += HASH) {
      const hash = hashes.getUint32(at, true);
      if (seen.has(hash)) return true;
      seen.add(hash);
    }
  }
  return false;
}
