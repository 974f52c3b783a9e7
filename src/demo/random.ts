/** A small seeded random generator (sfc32) that gives the same numbers on every machine. */

/** One stream of numbers. Equal parts give equal streams; any different part gives a different stream. */
export class Random {
  #a: number;
  #b: number;
  #c = 1;
  #d = 1;

  constructor(...parts: readonly (number | string)[]) {
    const seed = Bun.hash.wyhash(parts.join());
    this.#a = Number(seed & 0xffff_ffffn) | 0;
    this.#b = Number(seed >> 32n) | 0;
    for (let round = 0; round < 12; round++) this.next();
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
    let left = this.unit() * weights.reduce((sum, weight) => sum + weight, 0);
    const found = weights.findIndex((weight) => {
      left -= weight;
      return left < 0;
    });
    return found < 0 ? weights.length - 1 : found;
  }

  /** Close to the standard normal distribution, never beyond 3.5 on either side. */
  normal(): number {
    return (this.unit() + this.unit() + this.unit() + this.unit() - 2) * 1.7320508;
  }

  uuid(): string {
    const hex = () => this.next().toString(16).padStart(8, "0");
    const [one, other] = [hex(), hex()];
    return `${hex()}-${one.slice(4)}-4${one.slice(1, 4)}-a${other.slice(1, 4)}-${other.slice(4)}${hex()}`;
  }
}
