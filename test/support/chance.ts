/** Reproducible randomness: the same numbers give the same choices. The only generator of all tests but those of fast-check. */

/** Of the generated cases: HOSTILE_SEED=7 bun test test/hostile. */
export const SEED = Number(process.env.HOSTILE_SEED ?? 1);

/** A seed that no run had before, short enough to type. */
export const newSeed = (): number => crypto.getRandomValues(new Uint32Array(1))[0]! % 1_000_000_000;

export class Chance {
  #state: number;

  constructor(seed: number, number = 0) {
    this.#state = Math.imul(seed, 0x9e3779b1) ^ Math.imul(number + 1, 0x85ebca6b);
    // The first outputs of neighbouring states are similar.
    for (let turn = 0; turn < 4; turn++) this.#next();
  }

  /** 32 bits: every other choice is made from these. */
  word(): number {
    return this.#next();
  }

  /** mulberry32 */
  #next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  }

  /** From 0 up to, not including, 1. */
  unit(): number {
    return this.word() / 2 ** 32;
  }

  /** An integer from 0 to `limit` - 1. */
  below(limit: number): number {
    return Math.floor(this.unit() * limit);
  }

  /** An integer from `least` to `most`. */
  between(least: number, most: number): number {
    return least + this.below(most - least + 1);
  }

  /** True once in `times`. */
  oneIn(times: number): boolean {
    return this.below(times) === 0;
  }

  /** True for this part of all calls. */
  share(part: number): boolean {
    return this.unit() < part;
  }

  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)]!;
  }

  /** An entry of a table, chosen by weight. */
  weigh<T extends { weight: number }>(table: readonly T[]): T {
    let left = this.below(table.reduce((sum, { weight }) => sum + weight, 0));
    return table.find(({ weight }) => {
      left -= weight;
      return left < 0;
    })!;
  }

  bytes(length: number): Buffer {
    return Buffer.from(Array.from({ length }, () => this.below(256)));
  }

  /** This many characters of an alphabet. */
  text(length: number, alphabet: string): string {
    return Array.from({ length }, () => alphabet[this.below(alphabet.length)]).join("");
  }

  /** The text with up to two characters more, less or others at one place. */
  mistyped(text: string, alphabet: string): string {
    const at = this.below(text.length + 1);
    return `${text.slice(0, at)}${this.text(this.below(3), alphabet)}${text.slice(at + this.below(3))}`;
  }
}
