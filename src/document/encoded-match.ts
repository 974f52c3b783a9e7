/**
 * The sheet of a match: its resource and what only it includes, two pieces in one
 * stored form, so that a reply takes one look-up a match.
 *
 * Stored form, little-endian: a CRC-32 over everything that follows (4); whether it may be stitched
 * (1); how many resources there are (2); of the resource's piece the deflated length (4), length (4)
 * and CRC-32 (4); of the included's piece the length (4) and CRC-32 (4); a short hash for each
 * resource (4 each); the two pieces.
 */

import { crc32 } from "node:zlib";
import type { Fragment } from "../store/store.ts";
import { mixed } from "./crc32.ts";
import { deflate } from "./deflate.ts";
import { DamagedFragment, numberAt, type Piece } from "./fragment.ts";

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

export interface EncodedMatch {
  resource: Piece;
  included: Piece;
  stitchable: boolean;
  /** Holds a short hash for each resource, to tell whether two matches carry the same one. */
  stored: Uint8Array;
  hashesEnd: number;
}

export function encodeMatch({ resource, included, keys, stitchable }: SheetTexts): Fragment {
  const plain = [Buffer.from(resource), Buffer.from(included)] as const;
  const first = deflate(plain[0]);
  const second = deflate(plain[1]);
  const piecesAt = HEADER + HASH * keys.length;
  const stored = Buffer.allocUnsafeSlow(piecesAt + first.length + second.length);
  stored.set(first, piecesAt);
  stored.set(second, piecesAt + first.length);
  stored.writeUInt8(stitchable ? 1 : 0, 4);
  stored.writeUInt16LE(keys.length, 5);
  stored.writeUInt32LE(first.length, 7);
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
export function readEncodedMatch(stored: Fragment): EncodedMatch {
  const mark = crc32(stored.subarray(4));
  if (stored.length < HEADER || numberAt(stored, 0) !== mark) throw new DamagedFragment();
  const firstAt = HEADER + HASH * (stored[5]! | (stored[6]! << 8));
  const secondAt = firstAt + numberAt(stored, 7);
  return {
    resource: {
      bytes: stored,
      start: firstAt,
      end: secondAt,
      length: numberAt(stored, 11),
      crc: numberAt(stored, 15),
      mark,
    },
    included: {
      bytes: stored,
      start: secondAt,
      end: stored.length,
      length: numberAt(stored, 19),
      crc: numberAt(stored, 23),
      mark,
    },
    stitchable: stored[4] === 1,
    stored,
    hashesEnd: firstAt,
  };
}

/** 64 bits that stand for a match: that another one has the same is not to be expected. */
export function matchHash(stored: Fragment): { high: number; low: number } {
  const mark = numberAt(stored, 0);
  return { high: mixed(numberAt(stored, 15) ^ mark) >>> 0, low: mixed(mark) >>> 0 };
}

/** Marks in which a hash was seen. A mark may be shared; then the hashes themselves are compared. */
const MARKS = 1 << 13;
const marked = new Int32Array(MARKS / 32);

/** Whether two sheets (very probably) carry the same resource, which a reply may hold only once. */
export function repeatResources(sheets: readonly EncodedMatch[]): boolean {
  if (sheets.length < 2) return false;
  marked.fill(0);
  for (const { stored, hashesEnd } of sheets) {
    for (let at = HEADER; at < hashesEnd; at += HASH) {
      const mark = numberAt(stored, at) % MARKS;
      const bit = 1 << (mark & 31);
      if (marked[mark >>> 5]! & bit) return haveEqualHashes(sheets);
      marked[mark >>> 5]! |= bit;
    }
  }
  return false;
}

function haveEqualHashes(sheets: readonly EncodedMatch[]): boolean {
  const seen = new Set<number>();
  for (const { stored, hashesEnd } of sheets) {
    for (let at = HEADER; at < hashesEnd; at += HASH) {
      const hash = numberAt(stored, at);
      if (seen.has(hash)) return true;
      seen.add(hash);
    }
  }
  return false;
}
