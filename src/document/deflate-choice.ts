/** In charge of choosing the codes for a text, by counting the bits that it would take with each. */

import type { BlockCodes } from "./deflate-codes.ts";
import { fixedCodes, OwnCodes, ReadyCodes } from "./deflate-codes.ts";
import {
  DISTANCE_EXTRA,
  DISTANCES,
  FIRST_LENGTH,
  LENGTH_EXTRA,
  LITERALS,
} from "./deflate-symbols.ts";
import { TRAINED } from "./trained.ts";

/** Codes of its own are made for a text only if they seem to shorten it by more than this part. */
const WORTH_OWN_CODES = 1 / 16;
/** Texts of fewer bytes are tiny, or short. */
const TINY = 200;
const SHORT = 1200;

/** Two ready codes. Their lengths are added up together: one number holds both. */
interface Pair {
  one: ReadyCodes;
  other: ReadyCodes;
  literals: Float64Array;
  distances: Float64Array;
}

/** More bits than a text can take; the lengths of the second codes are above them. */
const SECOND = 2 ** 26;

function pairOf(one: ReadyCodes, other: ReadyCodes): Pair {
  const sum = (size: number, low: Uint8Array, high: Uint8Array) =>
    Float64Array.from({ length: size }, (_, symbol) => low[symbol]! + SECOND * high[symbol]!);
  return {
    one,
    other,
    literals: sum(LITERALS, one.literalLengths, other.literalLengths),
    distances: sum(DISTANCES, one.distanceLengths, other.distanceLengths),
  };
}

const trained = (name: keyof typeof TRAINED) => {
  const [literals, distances] = TRAINED[name].map((digits) =>
    Uint8Array.from(digits, (digit) => Number.parseInt(digit, 16)),
  );
  return new ReadyCodes(literals!, distances!);
};

const fixed = fixedCodes();
const player = trained("player");
const widePlayer = trained("widePlayer");
const wideCarried = trained("wideCarried");
/** For texts of printable ASCII alone. */
const PLAIN = {
  tiny: pairOf(fixed, player),
  short: pairOf(trained("match"), player),
  long: pairOf(trained("included"), trained("carried")),
};
/** These have a code for every byte. */
const WIDE = {
  tiny: pairOf(fixed, widePlayer),
  short: pairOf(widePlayer, wideCarried),
  long: pairOf(wideCarried, widePlayer),
};

const own = new OwnCodes();

/** The codes for a text with these symbols; undefined if it takes more than `most` bytes with any. */
export function chooseCodes(
  literalCounts: Int32Array,
  distanceCounts: Int32Array,
  length: number,
  most: number,
): BlockCodes | undefined {
  const pairs = isPlain(literalCounts) ? PLAIN : WIDE;
  const pair = length < TINY ? pairs.tiny : length < SHORT ? pairs.short : pairs.long;
  const both =
    sumOf(literalCounts, pair.literals, LITERALS) +
    sumOf(distanceCounts, pair.distances, DISTANCES);
  const otherSum = Math.floor(both / SECOND);
  const oneBits = both - SECOND * otherSum + pair.one.headerBits;
  const otherBits = otherSum + pair.other.headerBits;
  const [codes, bits] = oneBits <= otherBits ? [pair.one, oneBits] : [pair.other, otherBits];

  const extra = extraBits(literalCounts, distanceCounts);
  const room = 8 * most - extra;
  const gain = bits - leastBits(literalCounts, distanceCounts);
  if (bits > room || gain > WORTH_OWN_CODES * (bits + extra)) {
    const ownBits = own.fit(literalCounts, distanceCounts);
    if (ownBits <= room && ownBits < bits) return own;
  }
  return bits <= room ? codes : undefined;
}

/** Whether a text is of printable ASCII alone, by how often its bytes occur. */
function isPlain(literalCounts: Int32Array): boolean {
  let others = 0;
  for (let byte = 0; byte < 32; byte++) others |= literalCounts[byte]!;
  for (let byte = 127; byte < 256; byte++) others |= literalCounts[byte]!;
  return others === 0;
}

function sumOf(counts: Int32Array, weights: Float64Array, size: number): number {
  let sum = 0;
  for (let symbol = 0; symbol < size; symbol++) sum += counts[symbol]! * weights[symbol]!;
  return sum;
}

/** The bits that follow the symbols of lengths and distances, whatever the codes. */
function extraBits(literalCounts: Int32Array, distanceCounts: Int32Array): number {
  let bits = 0;
  for (let symbol = 0; symbol < LENGTH_EXTRA.length; symbol++) {
    bits += literalCounts[FIRST_LENGTH + symbol]! * LENGTH_EXTRA[symbol]!;
  }
  for (let symbol = 0; symbol < DISTANCES; symbol++) {
    bits += distanceCounts[symbol]! * DISTANCE_EXTRA[symbol]!;
  }
  return bits;
}

/** What the header of own codes takes, about: something always, and something for each symbol. */
const HEADER_BITS = 105;
const HEADER_SHARE = 4.5;

/** About how many bits own codes would take, header included: the entropy of the symbols. */
function leastBits(literalCounts: Int32Array, distanceCounts: Int32Array): number {
  return HEADER_BITS + entropy(literalCounts, LITERALS) + entropy(distanceCounts, DISTANCES);
}

function entropy(counts: Int32Array, size: number): number {
  let total = 0;
  let bits = 0;
  for (let symbol = 0; symbol < size; symbol++) {
    const count = counts[symbol]!;
    if (count === 0) continue;
    total += count;
    bits += HEADER_SHARE - information(count);
  }
  return bits + information(total);
}

/** n * log2(n), of which entropy is made. */
function information(count: number): number {
  return count < INFORMATION.length ? INFORMATION[count]! : count * Math.log2(count);
}

const INFORMATION = Float64Array.from({ length: 1024 }, (_, n) => (n === 0 ? 0 : n * Math.log2(n)));
