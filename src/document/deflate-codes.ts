/**
 * In charge of the codes that a block is written with and of the header that tells them to the reader
 * (RFC 1951, 3.2.6 and 3.2.7).
 */

import {
  BitWriter,
  type Codes,
  LONGEST_DISTANCE_CODE,
  LONGEST_LITERAL_CODE,
} from "./deflate-bits.ts";
import { DISTANCES, FIRST_LENGTH, LITERALS } from "./deflate-symbols.ts";
import { assignCodes, codeLengths } from "./huffman.ts";

/** Codes that can begin a block. */
export interface BlockCodes extends Codes {
  /** Begins to write with the header of the block. */
  start(writer: BitWriter): void;
}

/** A block that is not the last: one bit 0, then two bits of its type. */
const FIXED_BLOCK = 0b010;
const DYNAMIC_BLOCK = 0b100;

/** The lengths of codes are sent in codes of their own. Symbols from 16 on repeat a length. */
const LENGTH_SYMBOLS = 19;
const LONGEST_LENGTH_CODE = 7;
const REPEAT_LAST = 16;
const REPEAT_ZERO = 17;
const REPEAT_ZERO_LONG = 18;
const REPEAT_EXTRA = [2, 3, 7];
/** Those that are used least are sent last, and left out. */
const SENT_ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

/** Codes that are known before the text is. */
export class ReadyCodes implements BlockCodes {
  readonly literals: Int32Array;
  readonly distances: Int32Array;
  readonly headerBits: number;
  readonly #header: Uint8Array;

  constructor(
    readonly literalLengths: Uint8Array,
    readonly distanceLengths: Uint8Array,
    header = dynamicHeader(literalLengths, distanceLengths),
  ) {
    this.literals = new Int32Array(literalLengths.length);
    this.distances = new Int32Array(distanceLengths.length);
    assignCodes(literalLengths, this.literals);
    assignCodes(distanceLengths, this.distances);
    this.headerBits = header.bitLength;
    this.#header = header.bytes.slice(0, (this.headerBits + 7) >> 3);
  }

  start(writer: BitWriter): void {
    writer.startWith(this.#header, this.headerBits);
  }
}

function dynamicHeader(literalLengths: Uint8Array, distanceLengths: Uint8Array): BitWriter {
  const header = new HeaderPlan();
  const writer = new BitWriter(header.plan(literalLengths, distanceLengths));
  header.put(writer);
  return writer;
}

/** The codes that every reader knows: a header of three bits, which suits the shortest texts. */
export function fixedCodes(): ReadyCodes {
  // Two symbols of each kind stand for nothing, but have a code.
  const literalLengths = new Uint8Array(288).fill(8).fill(9, 144, 256).fill(7, 256, 280);
  const header = new BitWriter(8);
  header.put(FIXED_BLOCK, 3);
  return new ReadyCodes(literalLengths, new Uint8Array(32).fill(5), header);
}

/** Codes made for the text at hand. */
export class OwnCodes implements BlockCodes {
  readonly literals = new Int32Array(LITERALS);
  readonly distances = new Int32Array(DISTANCES);
  readonly #literalLengths = new Uint8Array(LITERALS);
  readonly #distanceLengths = new Uint8Array(DISTANCES);
  readonly #header = new HeaderPlan();

  /** Returns how many bits header and text will take, without extra bits. */
  fit(literalCounts: Int32Array, distanceCounts: Int32Array): number {
    codeLengths(literalCounts, LONGEST_LITERAL_CODE, this.#literalLengths);
    codeLengths(distanceCounts, LONGEST_DISTANCE_CODE, this.#distanceLengths);
    let bits = this.#header.plan(this.#literalLengths, this.#distanceLengths);
    for (let symbol = 0; symbol < LITERALS; symbol++) {
      bits += literalCounts[symbol]! * this.#literalLengths[symbol]!;
    }
    for (let symbol = 0; symbol < DISTANCES; symbol++) {
      bits += distanceCounts[symbol]! * this.#distanceLengths[symbol]!;
    }
    return bits;
  }

  start(writer: BitWriter): void {
    writer.start();
    this.#header.put(writer);
    assignCodes(this.#literalLengths, this.literals);
    assignCodes(this.#distanceLengths, this.distances);
  }
}

/** How the lengths of codes are sent. */
export class HeaderPlan {
  /** Symbols, with the extra bits of those that repeat from bit 5. */
  readonly #symbols = new Uint16Array(LITERALS + DISTANCES);
  #used = 0;
  #sentLiterals = 0;
  #sentDistances = 0;
  #sentLengths = 0;
  readonly #all = new Uint8Array(LITERALS + DISTANCES);
  readonly #counts = new Int32Array(LENGTH_SYMBOLS);
  readonly #lengths = new Uint8Array(LENGTH_SYMBOLS);
  readonly #codes = new Int32Array(LENGTH_SYMBOLS);

  /** Returns how many bits the header takes. */
  plan(literalLengths: Uint8Array, distanceLengths: Uint8Array): number {
    this.#sentLiterals = usedLength(literalLengths, FIRST_LENGTH);
    this.#sentDistances = usedLength(distanceLengths, 1);
    for (let at = 0; at < this.#sentLiterals; at++) this.#all[at] = literalLengths[at]!;
    for (let at = 0; at < this.#sentDistances; at++) {
      this.#all[this.#sentLiterals + at] = distanceLengths[at]!;
    }
    this.#findRuns(this.#sentLiterals + this.#sentDistances);
    codeLengths(this.#counts, LONGEST_LENGTH_CODE, this.#lengths);
    this.#sentLengths = LENGTH_SYMBOLS;
    while (this.#lengths[SENT_ORDER[this.#sentLengths - 1]!] === 0) this.#sentLengths--;
    let bits = 3 + 5 + 5 + 4 + 3 * this.#sentLengths;
    for (let symbol = 0; symbol < LENGTH_SYMBOLS; symbol++) {
      const extra = symbol < REPEAT_LAST ? 0 : REPEAT_EXTRA[symbol - REPEAT_LAST]!;
      bits += this.#counts[symbol]! * (this.#lengths[symbol]! + extra);
    }
    return bits;
  }

  #findRuns(end: number): void {
    this.#counts.fill(0);
    this.#used = 0;
    let at = 0;
    while (at < end) {
      const length = this.#all[at]!;
      let run = 1;
      while (at + run < end && this.#all[at + run] === length) run++;
      at += run;
      if (length === 0) {
        for (; run > 10; run -= Math.min(run, 138)) {
          this.#add(REPEAT_ZERO_LONG, Math.min(run, 138) - 11);
        }
        if (run > 2) {
          this.#add(REPEAT_ZERO, run - 3);
          run = 0;
        }
      } else {
        this.#add(length, 0);
        run--;
        for (; run > 2; run -= Math.min(run, 6)) this.#add(REPEAT_LAST, Math.min(run, 6) - 3);
      }
      for (; run > 0; run--) this.#add(length, 0);
    }
  }

  #add(symbol: number, extra: number): void {
    this.#symbols[this.#used++] = symbol | (extra << 5);
    this.#counts[symbol]!++;
  }

  put(writer: BitWriter): void {
    assignCodes(this.#lengths, this.#codes);
    writer.put(DYNAMIC_BLOCK, 3);
    writer.put(this.#sentLiterals - FIRST_LENGTH, 5);
    writer.put(this.#sentDistances - 1, 5);
    writer.put(this.#sentLengths - 4, 4);
    for (let at = 0; at < this.#sentLengths; at++) writer.put(this.#lengths[SENT_ORDER[at]!]!, 3);
    for (let at = 0; at < this.#used; at++) {
      const symbol = this.#symbols[at]! & 31;
      const code = this.#codes[symbol]!;
      writer.put(code >> 4, code & 15);
      if (symbol >= REPEAT_LAST) {
        writer.put(this.#symbols[at]! >> 5, REPEAT_EXTRA[symbol - REPEAT_LAST]!);
      }
    }
  }
}

function usedLength(lengths: Uint8Array, least: number): number {
  let length = lengths.length;
  while (length > least && lengths[length - 1] === 0) length--;
  return length;
}
