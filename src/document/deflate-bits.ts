/** In charge of writing bits, least significant first, and the tokens of a block with given codes. */

import {
  DISTANCE_BASE,
  DISTANCE_EXTRA,
  DISTANCE_SYMBOL,
  END_OF_BLOCK,
  FIRST_LENGTH,
  LENGTH_BASE,
  LENGTH_EXTRA,
  LENGTH_SYMBOL,
} from "./deflate-symbols.ts";

/**
 * A word of 32 bits holds an unfinished byte and two literals, or a length with its extra bits, or a
 * distance with its. Longer codes would not fit.
 */
export const LONGEST_LITERAL_CODE = 12;
export const LONGEST_DISTANCE_CODE = 11;

/** Each code with its bits reversed, above four bits of its length. */
export interface Codes {
  literals: Int32Array;
  distances: Int32Array;
}

/** Whole words are written, over what will be overwritten next: four bytes more must be there. */
export class BitWriter {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly #words: DataView;
  #at = 0;
  /** Bits of the byte that is not complete yet, and their number, from 0 to 7. */
  #held = 0;
  #count = 0;

  constructor(size: number) {
    this.bytes = new Uint8Array(size);
    this.#words = new DataView(this.bytes.buffer);
  }

  /** The number of whole bytes. */
  get length(): number {
    return this.#at;
  }

  get bitLength(): number {
    return 8 * this.#at + this.#count;
  }

  start(): void {
    this.#at = 0;
    this.#held = 0;
    this.#count = 0;
  }

  /** Begins with bits that were written before. */
  startWith(bytes: Uint8Array, bitLength: number): void {
    this.bytes.set(bytes);
    this.#at = bitLength >> 3;
    this.#count = bitLength & 7;
    this.#held = this.bytes[this.#at]! & ((1 << this.#count) - 1);
  }

  /** At most 24 bits. */
  put(value: number, count: number): void {
    this.#held |= value << this.#count;
    this.#count += count;
    this.#words.setInt32(this.#at, this.#held, true);
    this.#at += this.#count >> 3;
    this.#held >>>= this.#count & 24;
    this.#count &= 7;
  }

  /** Fills the unfinished byte with zeros. */
  align(): void {
    if (this.#count > 0) this.put(0, 8 - this.#count);
  }

  putBytes(bytes: Uint8Array): void {
    this.bytes.set(bytes, this.#at);
    this.#at += bytes.length;
  }

  /** Writes runs of literals and matches, as findMatches leaves them, and the end of the block. */
  putTokens(
    text: Uint8Array,
    length: number,
    matches: Int32Array,
    used: number,
    { literals, distances }: Codes,
  ): void {
    const words = this.#words;
    let at = this.#at;
    let held = this.#held;
    let count = this.#count;
    let place = 0;
    for (let index = 0; ; index += 2) {
      const runEnd = index < used ? place + matches[index]! : length;
      for (; place < runEnd; place += 2) {
        const code = literals[text[place]!]!;
        held |= (code >> 4) << count;
        count += code & 15;
        // All ones, or zero if the run ends here: a branch would be guessed wrong half of the time.
        const mask = (place + 1 - runEnd) >> 31;
        const second = literals[text[place + 1]!]! & mask;
        held |= (second >> 4) << count;
        count += second & 15;
        words.setInt32(at, held, true);
        at += count >> 3;
        held >>>= count & 24;
        count &= 7;
      }
      if (index >= used) break;
      place = runEnd;

      const match = matches[index + 1]!;
      const matched = match & 511;
      const lengthSymbol = LENGTH_SYMBOL[matched]!;
      const lengthCode = literals[FIRST_LENGTH + lengthSymbol]!;
      held |= (lengthCode >> 4) << count;
      count += lengthCode & 15;
      held |= (matched - LENGTH_BASE[lengthSymbol]!) << count;
      count += LENGTH_EXTRA[lengthSymbol]!;
      words.setInt32(at, held, true);
      at += count >> 3;
      held >>>= count & 24;
      count &= 7;

      const distance = match >> 9;
      const distanceSymbol = DISTANCE_SYMBOL[distance - 1]!;
      const distanceCode = distances[distanceSymbol]!;
      held |= (distanceCode >> 4) << count;
      count += distanceCode & 15;
      held |= (distance - DISTANCE_BASE[distanceSymbol]!) << count;
      count += DISTANCE_EXTRA[distanceSymbol]!;
      words.setInt32(at, held, true);
      at += count >> 3;
      held >>>= count & 24;
      count &= 7;
      place += matched;
    }
    this.#at = at;
    this.#held = held;
    this.#count = count;
    this.put(literals[END_OF_BLOCK]! >> 4, literals[END_OF_BLOCK]! & 15);
  }
}
