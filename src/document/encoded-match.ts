/**
 * The stored form of a match: its resource, and the resources that only it includes, as two
 * compressed pieces in one value, so that a response needs one lookup per match.
 *
 * Layout, little-endian: CRC-32 of everything that follows (4 bytes); whether it can be joined
 * (1); number of resources (2); for the match resource the compressed length (4), plain length (4)
 * and CRC-32 (4); for the included resources the plain length (4) and CRC-32 (4); a short hash of
 * each resource (4 each); the two pieces.
 */

import { crc32 } from "node:zlib";
import type { ByteRange } from "../store/byte-range.ts";
import type { Fragment } from "../store/store.ts";
import { mixed } from "./crc32.ts";
import { deflate, THOROUGH } from "./deflate.ts";
import { numberAt, type Piece } from "./fragment.ts";

const HEADER = 27;
const HASH = 4;

export interface MatchTexts {
  resource: string;
  /** Resources, separated by commas. */
  included: string;
  /** "type/id" of every resource in the two texts. */
  keys: string[];
  /** False if documents with this match must always be rebuilt. */
  joinable: boolean;
}

export interface EncodedMatch {
  resource: Piece;
  included: Piece;
  joinable: boolean;
  /** The hashes of the resources, which show whether two matches share one. */
  hashes: ByteRange;
}

export function encodeMatch({ resource, included, keys, joinable }: MatchTexts): Fragment {
  const plain = [Buffer.from(resource), Buffer.from(included)] as const;
  const first = deflate(plain[0]);
  const second = deflate(plain[1], THOROUGH);
  const piecesAt = HEADER + HASH * keys.length;
  const stored = Buffer.allocUnsafeSlow(piecesAt + first.length + second.length);
  stored.set(first, piecesAt);
  stored.set(second, piecesAt + first.length);
  stored.writeUInt8(joinable ? 1 : 0, 4);
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

/** Reads a match for joining, without inflating it. The store has verified it. */
export function readEncodedMatch({ bytes, start, end }: ByteRange): EncodedMatch {
  const storedCrc = numberAt(bytes, start);
  const hashesAt = start + HEADER;
  const count = bytes[start + 5]! | (bytes[start + 6]! << 8);
  const firstAt = hashesAt + HASH * count;
  const secondAt = firstAt + numberAt(bytes, start + 7);
  return {
    resource: {
      bytes,
      start: firstAt,
      end: secondAt,
      length: numberAt(bytes, start + 11),
      crc: numberAt(bytes, start + 15),
      storedCrc,
    },
    included: {
      bytes,
      start: secondAt,
      end,
      length: numberAt(bytes, start + 19),
      crc: numberAt(bytes, start + 23),
      storedCrc,
    },
    joinable: bytes[start + 4] === 1,
    hashes: { bytes, start: hashesAt, end: firstAt },
  };
}

/** 53 bits that identify a match: as many as fit in a number, and in 8 bytes where they are stored. */
export function matchHash({ bytes, start }: ByteRange): number {
  const storedCrc = numberAt(bytes, start);
  const high = mixed(numberAt(bytes, start + 15) ^ storedCrc) >>> 0;
  return high * 2 ** 21 + (mixed(storedCrc) >>> 11);
}

/** A bit set of hashes seen. On a collision, the hashes themselves are compared. */
const SEEN_BITS = 1 << 13;
const seenBits = new Int32Array(SEEN_BITS / 32);

/**
 * Whether two matches (very probably) contain the same resource, which a document may contain only
 * once.
 */
export function repeatResources(matches: readonly EncodedMatch[]): boolean {
  if (matches.length < 2) return false;
  seenBits.fill(0);
  for (const { hashes } of matches) {
    const { bytes, end } = hashes;
    for (let at = hashes.start; at < end; at += HASH) {
      const slot = numberAt(bytes, at) % SEEN_BITS;
      const bit = 1 << (slot & 31);
      if (seenBits[slot >>> 5]! & bit) return haveEqualHashes(matches);
      seenBits[slot >>> 5]! |= bit;
    }
  }
  return false;
}

function haveEqualHashes(matches: readonly EncodedMatch[]): boolean {
  const seen = new Set<number>();
  for (const { hashes } of matches) {
    for (let at = hashes.start; at < hashes.end; at += HASH) {
      const hash = numberAt(hashes.bytes, at);
      if (seen.has(hash)) return true;
      seen.add(hash);
    }
  }
  return false;
}
