/**
 * In charge of finding repetitions: a text becomes runs of literal bytes, each but the last followed
 * by a match, a copy of what stood some distance before.
 *
 * Two tables remember where four bytes, and where twelve, were last seen. A place is looked up in
 * both, and no further: that finds nearly what a long search would in JSON, whose repetitions are
 * the names of members with values between them.
 */

import {
  DISTANCE_SYMBOL,
  DISTANCES,
  END_OF_BLOCK,
  FIRST_LENGTH,
  LENGTH_SYMBOL,
  LITERALS,
  LONGEST_MATCH,
} from "./deflate-symbols.ts";

/** A longer text deserves a longer search. In this one, no distance is too far for deflate. */
export const LONGEST_TEXT = 16384;
const SHORTEST_MATCH = 4;
/** A match this long is taken without a look at what the next place offers. */
const GOOD_MATCH = 32;
/** Within matches, only every other place is remembered; matches are lengthened to the front. */
const STRIDE = 2;

const HASH_BITS = 14;
const HASH_SHIFT = 32 - HASH_BITS;
const HASH = 0x9e3779b1;
const HASH_SECOND = 0x85ebca6b;
const HASH_THIRD = 0x27d4eb2f;

/** The text at hand. A few bytes after its end are read, and never used. */
export const text = new Uint8Array(LONGEST_TEXT + 33);
const words = new DataView(text.buffer);

/** For each match: how many literals stand before it, then its length, and its distance from bit 9. */
export const matches = new Int32Array(2 * Math.ceil(LONGEST_TEXT / SHORTEST_MATCH));
/** How often each symbol occurs. */
export const literalCounts = new Int32Array(LITERALS);
export const distanceCounts = new Int32Array(DISTANCES);

/**
 * Places are counted on from text to text, so that what is remembered of earlier texts need not be
 * cleared: it is simply too small.
 */
const seenFour = new Int32Array(1 << HASH_BITS).fill(-1);
const seenTwelve = new Int32Array(1 << HASH_BITS).fill(-1);
let base = 0;

/** Fills `matches` and the counts, and returns how many numbers of `matches` are used. */
export function findMatches(plain: Uint8Array): number {
  const length = plain.length;
  const origin = nextOrigin(length);
  text.set(plain);
  // What an earlier text left here must not lead to other matches.
  words.setFloat64(length, 0);
  words.setFloat64(length + 8, 0);
  literalCounts.fill(0);
  distanceCounts.fill(0);

  const stop = length - SHORTEST_MATCH + 1;
  let used = 0;
  let runStart = 0;
  let at = 0;
  while (at < stop) {
    const word = words.getInt32(at, true);
    const four = Math.imul(word, HASH);
    const fromFour = seenFour[four >>> HASH_SHIFT]! - origin;
    seenFour[four >>> HASH_SHIFT] = origin + at;
    if (fromFour < 0 || words.getInt32(fromFour, true) !== word) {
      if ((at & 1) === 0) seenTwelve[hashTwelve(four, at)] = origin + at;
      literalCounts[word & 0xff]!++;
      at++;
      continue;
    }
    const twelve = hashTwelve(four, at);
    let from = seenTwelve[twelve]! - origin;
    seenTwelve[twelve] = origin + at;
    if (from < 0 || words.getInt32(from, true) !== word) from = fromFour;
    let matched = matchLength(from, at, length);

    // Perhaps there is a longer one at the next place.
    while (matched < GOOD_MATCH && at + 1 < stop) {
      const next = at + 1;
      const nextWord = words.getInt32(next, true);
      const nextTwelve = hashTwelve(Math.imul(nextWord, HASH), next);
      const nextFrom = seenTwelve[nextTwelve]! - origin;
      seenTwelve[nextTwelve] = origin + next;
      if (nextFrom < 0 || words.getInt32(nextFrom, true) !== nextWord) break;
      const nextMatched = matchLength(nextFrom, next, length);
      if (nextMatched <= matched) break;
      literalCounts[text[at]!]!++;
      at = next;
      from = nextFrom;
      matched = nextMatched;
    }

    const distance = at - from;
    const end = at + matched;
    while (
      at > runStart &&
      from > 0 &&
      matched < LONGEST_MATCH &&
      text[at - 1] === text[from - 1]
    ) {
      at--;
      from--;
      matched++;
      literalCounts[text[at]!]!--;
    }
    literalCounts[FIRST_LENGTH + LENGTH_SYMBOL[matched]!]!++;
    distanceCounts[DISTANCE_SYMBOL[distance - 1]!]!++;
    matches[used] = at - runStart;
    matches[used + 1] = matched | (distance << 9);
    used += 2;

    if (end < stop) {
      for (let place = at + STRIDE; place < end; place += STRIDE) {
        const placeFour = Math.imul(words.getInt32(place, true), HASH);
        seenFour[placeFour >>> HASH_SHIFT] = origin + place;
        seenTwelve[hashTwelve(placeFour, place)] = origin + place;
      }
    }
    at = end;
    runStart = end;
  }
  for (; at < length; at++) literalCounts[text[at]!]!++;
  literalCounts[END_OF_BLOCK] = 1;
  return used;
}

function nextOrigin(length: number): number {
  if (base > 0x7fffffff - 2 * LONGEST_TEXT) {
    seenFour.fill(-1);
    seenTwelve.fill(-1);
    base = 0;
  }
  const origin = base;
  base += length;
  return origin;
}

/** Where twelve bytes are looked up; `four` is the hash of the first four. */
function hashTwelve(four: number, at: number): number {
  const eight = Math.imul(four ^ words.getInt32(at + 4, true), HASH_SECOND);
  return Math.imul(eight ^ words.getInt32(at + 8, true), HASH_THIRD) >>> HASH_SHIFT;
}

/** How far the text repeats itself; the first four bytes are known to. */
function matchLength(from: number, at: number, length: number): number {
  const most = Math.min(LONGEST_MATCH, length - at);
  let matched = 4;
  while (matched < most) {
    const different = words.getInt32(from + matched, true) ^ words.getInt32(at + matched, true);
    if (different !== 0) {
      matched += (31 - Math.clz32(different & -different)) >> 3;
      break;
    }
    matched += 4;
  }
  return Math.min(matched, most);
}
