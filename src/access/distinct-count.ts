/**
 * Counts distinct records in bounded memory: exactly while there are few, with HyperLogLog beyond
 * that.
 */

/** A 64-bit hash, in two halves. */
export interface Hash {
  high: number;
  low: number;
}

/** Up to this number, the hashes themselves are stored. */
export const COUNTED_EXACTLY = 1024;

/** Doubled as it fills: most counters stay small. */
const FIRST_SLOTS = 16;

export class DistinctCounter {
  /** An open-addressing hash table, at most half full; undefined once the sketch is in use. */
  #slots: Uint32Array | undefined = new Uint32Array(2 * FIRST_SLOTS);
  #exact = 0;
  #sketch: Sketch | undefined;

  /** Undefined if the bytes are not from `toBytes`. */
  static fromBytes(bytes: Uint8Array): DistinctCounter | undefined {
    const stored = parseStored(bytes);
    if (stored === undefined) return undefined;
    const counter = new DistinctCounter();
    if ("registers" in stored) {
      counter.#slots = undefined;
      counter.#sketch = new Sketch(stored.registers);
    } else {
      for (const hash of stored.hashes) counter.#insert(hash);
    }
    return counter;
  }

  get count(): number {
    return this.#sketch ? Math.round(this.#sketch.estimate()) : this.#exact;
  }

  /** Adds all hashes, unless the count would exceed `most`. Returns whether it did. */
  addWithin(hashes: readonly Hash[], most: number): boolean {
    if (this.#slots) {
      const fresh = this.#freshAmong(hashes);
      const count = this.#exact + fresh.length;
      if (count > most) return false;
      if (count > COUNTED_EXACTLY) return this.#sketchWithin(fresh, most);
      for (const hash of fresh) this.#insert(hash);
      return true;
    }
    const sketch = this.#sketch!;
    const steps: Step[] = [];
    for (const hash of hashes) {
      const step = sketch.add(hash);
      if (step) steps.push(step);
    }
    if (steps.length === 0 || sketch.estimate() <= most) return true;
    for (const step of steps.reverse()) sketch.undo(step);
    return false;
  }

  /** Merges another counter, regardless of the limit. */
  absorb(other: DistinctCounter): void {
    if (other.#slots) {
      for (const hash of other.#hashes()) this.addWithin([hash], Number.POSITIVE_INFINITY);
      return;
    }
    if (this.#slots) this.#sketchWithin([], Number.POSITIVE_INFINITY);
    this.#sketch!.absorb(other.#sketch!);
  }

  toBytes(): Uint8Array {
    return this.#sketch ? writeRegisters(this.#sketch.registers) : writeHashes([...this.#hashes()]);
  }

  /** The distinct new hashes. There are at most as many as a page has records. */
  #freshAmong(hashes: readonly Hash[]): Hash[] {
    const fresh: Hash[] = [];
    for (const given of hashes) {
      const hash = nonZero(given);
      if (this.#has(hash)) continue;
      const isRepeated = fresh.some(({ high, low }) => high === hash.high && low === hash.low);
      if (!isRepeated) fresh.push(hash);
    }
    return fresh;
  }

  /** Switches to the sketch, unless its estimate exceeds `most`. */
  #sketchWithin(fresh: readonly Hash[], most: number): boolean {
    const sketch = new Sketch();
    for (const kept of this.#hashes()) sketch.add(kept);
    for (const hash of fresh) sketch.add(hash);
    if (sketch.estimate() > most) return false;
    this.#sketch = sketch;
    this.#slots = undefined;
    return true;
  }

  #insert(hash: Hash): void {
    const slots = this.#slots!;
    const at = this.#slotOf(hash);
    if (slots[at] !== 0 || slots[at + 1] !== 0) return;
    slots[at] = hash.high;
    slots[at + 1] = hash.low;
    this.#exact += 1;
    if (4 * this.#exact > slots.length) this.#grow();
  }

  #grow(): void {
    const hashes = [...this.#hashes()];
    this.#slots = new Uint32Array(2 * this.#slots!.length);
    this.#exact = 0;
    for (const hash of hashes) this.#insert(hash);
  }

  #has(hash: Hash): boolean {
    const at = this.#slotOf(hash);
    return this.#slots![at] !== 0 || this.#slots![at + 1] !== 0;
  }

  /** The slot of the hash, or the empty slot where it belongs. */
  #slotOf({ high, low }: Hash): number {
    const slots = this.#slots!;
    const count = slots.length / 2;
    for (let slot = low % count; ; slot = (slot + 1) % count) {
      const at = 2 * slot;
      if (slots[at] === high && slots[at + 1] === low) return at;
      if (slots[at] === 0 && slots[at + 1] === 0) return at;
    }
  }

  *#hashes(): Iterable<Hash> {
    const slots = this.#slots!;
    for (let at = 0; at < slots.length; at += 2) {
      if (slots[at] !== 0 || slots[at + 1] !== 0) yield { high: slots[at]!, low: slots[at + 1]! };
    }
  }
}

/** All zeros mark an empty slot. */
const nonZero = (hash: Hash): Hash =>
  hash.high === 0 && hash.low === 0 ? { high: 0, low: 1 } : hash;

// Stored form: a type byte, then the hashes or the registers.

const EXACT = 1;
const SKETCHED = 2;

type Stored = { hashes: Hash[] } | { registers: Uint8Array };

function parseStored(bytes: Uint8Array): Stored | undefined {
  // A copy: slices of a Buffer share its memory.
  const body = new Uint8Array(bytes.subarray(1));
  if (bytes[0] === SKETCHED && body.length === REGISTERS) return { registers: body };
  if (bytes[0] !== EXACT || body.length % 8 !== 0 || body.length > 8 * COUNTED_EXACTLY) {
    return undefined;
  }
  const halves = new Uint32Array(body.buffer);
  const hashes: Hash[] = [];
  for (let at = 0; at < halves.length; at += 2) {
    hashes.push({ high: halves[at]!, low: halves[at + 1]! });
  }
  return { hashes };
}

function writeHashes(hashes: readonly Hash[]): Uint8Array {
  const halves = Uint32Array.from(hashes.flatMap(({ high, low }) => [high, low]));
  return Buffer.concat([Uint8Array.of(EXACT), new Uint8Array(halves.buffer)]);
}

function writeRegisters(registers: Uint8Array): Uint8Array {
  return Buffer.concat([Uint8Array.of(SKETCHED), registers]);
}

/** Undoes an addition: a register and its previous rank. */
interface Step {
  index: number;
  before: number;
}

const INDEX_BITS = 14;
const REGISTERS = 1 << INDEX_BITS;
/** Bits of a hash left for the rank; the highest rank is one more. */
const RANK_BITS = 64 - INDEX_BITS;
const HIGH_BITS = 32 - INDEX_BITS;

/** The number of ranks, including that of an empty register. */
const RANKS = RANK_BITS + 2;

/**
 * A HyperLogLog with 2^14 registers (16 KiB). It uses Ertl's estimator ("New cardinality estimation
 * algorithms for HyperLogLog sketches", 2017), which needs no tables and no special case for small
 * counts. The standard error is 1.04 / sqrt(2^14) = 0.8 %.
 */
export class Sketch {
  readonly registers: Uint8Array;
  /** The number of registers with each rank. */
  readonly #counts = new Int32Array(RANKS);

  constructor(registers: Uint8Array = new Uint8Array(REGISTERS)) {
    if (registers.length !== REGISTERS) throw new Error(`a sketch must have ${REGISTERS} bytes`);
    this.registers = registers;
    for (const rank of registers) this.#counts[Math.min(rank, RANKS - 1)]! += 1;
  }

  /** Returns how to undo it; undefined if nothing changed. */
  add(hash: Hash): Step | undefined {
    const index = registerOf(hash);
    const rank = rankOf(hash);
    const before = this.registers[index]!;
    if (rank <= before) return undefined;
    this.#set(index, rank);
    return { index, before };
  }

  undo({ index, before }: Step): void {
    this.#set(index, before);
  }

  /** Merges another sketch. */
  absorb(other: Sketch): void {
    for (const [index, rank] of other.registers.entries()) {
      if (rank > this.registers[index]!) this.#set(index, rank);
    }
  }

  estimate(): number {
    return estimateFrom(this.#counts);
  }

  #set(index: number, rank: number): void {
    this.#counts[this.registers[index]!]! -= 1;
    this.#counts[rank]! += 1;
    this.registers[index] = rank;
  }
}

/** Estimates the count from the number of registers with each rank. */
function estimateFrom(counts: ArrayLike<number>): number {
  let sum = REGISTERS * tau(1 - counts[RANKS - 1]! / REGISTERS);
  for (let rank = RANK_BITS; rank >= 1; rank--) sum = (sum + counts[rank]!) / 2;
  sum += REGISTERS * sigma(counts[0]! / REGISTERS);
  return REGISTERS ** 2 / (2 * Math.LN2 * sum);
}

const registerOf = ({ high }: Hash): number => high >>> HIGH_BITS;

/** One more than the number of leading zeros after the index bits. */
function rankOf({ high, low }: Hash): number {
  const rest = high << INDEX_BITS;
  if (rest !== 0) return Math.clz32(rest) + 1;
  return HIGH_BITS + Math.clz32(low) + 1;
}

function sigma(share: number): number {
  if (share === 1) return Number.POSITIVE_INFINITY;
  let power = share;
  let factor = 1;
  let sum = share;
  for (let before = -1; before !== sum; factor *= 2) {
    power *= power;
    before = sum;
    sum += power * factor;
  }
  return sum;
}

function tau(share: number): number {
  if (share === 0 || share === 1) return 0;
  let root = share;
  let factor = 1;
  let sum = 1 - share;
  for (let before = -1; before !== sum; ) {
    root = Math.sqrt(root);
    factor /= 2;
    before = sum;
    sum -= (1 - root) ** 2 * factor;
  }
  return sum / 3;
}
