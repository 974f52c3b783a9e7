/** Finds a key's slot in shared memory: the same one in every process, taken by whichever comes first. */

/** Words of 64 bits for each slot: half a SHA-256 of the id. */
const WORDS = 2;
export const SLOT_BYTES = WORDS * 8;

/** Beyond so many taken ones in a row the table counts as full. */
const MOST_STEPS = 1024;

export class SlotTable {
  readonly #words: BigInt64Array;
  readonly #count: number;

  /** All zeros at first. The number of slots must be a power of two. */
  constructor(memory: Uint8Array) {
    this.#words = new BigInt64Array(memory.buffer, memory.byteOffset, memory.byteLength / 8);
    this.#count = this.#words.length / WORDS;
  }

  /** The slot of the id; undefined when none is left. */
  find(id: string): number | undefined {
    const [first, second] = digestOf(id);
    const start = Number(BigInt.asUintN(32, first));
    for (let step = 0; step < Math.min(MOST_STEPS, this.#count); step++) {
      const slot = (start + step) % this.#count;
      // Two ids that agree in the first word may race for a slot; the second word decides.
      if (this.#claim(WORDS * slot, first) && this.#claim(WORDS * slot + 1, second)) return slot;
    }
    return undefined;
  }

  /** Whether the word is this one, be it by now. */
  #claim(at: number, word: bigint): boolean {
    const before = Atomics.compareExchange(this.#words, at, 0n, word);
    return before === 0n || before === word;
  }
}

function digestOf(id: string): [bigint, bigint] {
  const digest = Buffer.from(Bun.CryptoHasher.hash("sha256", id));
  // Zero means that a slot is free.
  return [digest.readBigInt64LE(0) || 1n, digest.readBigInt64LE(8) || 1n];
}
