/** A small seeded random generator (sfc32) that gives the same numbers on every machine. */

/** One stream of numbers. Equal parts give equal streams; any different part gives a different stream. */
export class Random {
  #a = 0x9e3779b9 | 0;
  #b = 0x243f6a88;
  #c = 0xb7e15162 | 0;
  #d = 0x6a09e667;

  constructor(...parts: number[]) {
    for (const part of parts) {
      this.#absorb(part | 0);
      this.#absorb(Math.floor(part / 4294967296) | 0);
    }
    for (let round = 0; round < 8; round++) this.next();
  }

  // Four separate lanes: ids from millions of streams must not collide.
  #absorb(word: number): void {
    this.#a = scramble(this.#a ^ word);
    this.#b = scramble((this.#b + word) | 0);
    this.#c = scramble(this.#c ^ Math.imul(word, 0x01000193));
    this.#d = scramble((this.#d + ~word) | 0);
  }

  /** An integer from 0 to 2^32 - 1. */
  next(): number {
    const sum = (((this.#a + this.#b) | 0) + this.#d) | 0;
    this.#d = (this.#d + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + sum) | 0;
    return sum >>> 0;
  }

  /** A number from 0 up to, not including, 1. */
  unit(): number {
    return this.next() / 4294967296;
  }

  chance(probability: number): boolean {
    return this.unit() < probability;
  }

  /** An integer from low to high, both included. */
  int(low: number, high: number): number {
    return low + Math.floor(this.unit() * (high - low + 1));
  }

  between(low: number, high: number): number {
    return low + this.unit() * (high - low);
  }

  pick<T>(list: readonly T[]): T {
    return list[Math.floor(this.unit() * list.length)]!;
  }

  /** A random index, in proportion to the weights. */
  weighted(weights: readonly number[]): number {
    let total = 0;
    for (const weight of weights) total += weight;
    let left = this.unit() * total;
    for (let at = 0; at < weights.length; at++) {
      left -= weights[at]!;
      if (left < 0) return at;
    }
    return weights.length - 1;
  }

  /** Close to the standard normal distribution, never beyond 3.5 on either side. */
  normal(): number {
    return (this.unit() + this.unit() + this.unit() + this.unit() - 2) * 1.7320508;
  }

  uuid(): string {
    const [a, b, c, d] = [this.next(), this.next(), this.next(), this.next()];
    const versioned = (b & 0xffff0fff) | 0x4000;
    const variant = (c & 0x3fffffff) | 0x80000000;
    const hex = [a, versioned, variant, d].map((word) =>
      (word >>> 0).toString(16).padStart(8, "0"),
    );
    return hex.join("").replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
  }
}

/** A number for a text, to distinguish streams by name. */
export function wordOf(text: string): number {
  let word = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) {
    word = Math.imul(word ^ text.charCodeAt(at), 0x01000193);
  }
  return scramble(word) >>> 0;
}

function scramble(word: number): number {
  let mixed = Math.imul(word ^ (word >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}
