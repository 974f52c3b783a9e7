/**
 * In charge of counting different records in bounded memory: exactly while they are few, by a sketch
 * when they are many.
 */

import { COUNTED_EXACTLY, readKept, writeHashes, writeRegisters } from "./distinct-form.ts";
import { type Hash, Sketch, type Step } from "./sketch.ts";

export { COUNTED_EXACTLY };

/** As much memory as the sketch takes, at a load of one half. */
const SLOTS = 2 * COUNTED_EXACTLY;

export class DistinctCounter {
  /** Pairs of halves, found by probing; undefined once the sketch has taken over. */
  #slots: Uint32Array | undefined = new Uint32Array(2 * SLOTS);
  #exact = 0;
  #sketch: Sketch | undefined;

  /** What `toBytes` gave. Undefined when the bytes are something else. */
  static fromBytes(bytes: Uint8Array): DistinctCounter | undefined {
    const kept = readKept(bytes);
    if (kept === undefined) return undefined;
    const counter = new DistinctCounter();
    if ("registers" in kept) {
      counter.#slots = undefined;
      counter.#sketch = new Sketch(kept.registers);
    } else {
      for (const hash of kept.hashes) counter.#insert(hash);
    }
    return counter;
  }

  get count(): number {
    return this.#sketch ? Math.round(this.#sketch.estimate()) : this.#exact;
  }

  /** Adds all of these, unless there would then be more than `most`; says whether it did. */
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

  /** Counts what another one has counted too, whatever the budget. */
  absorb(other: DistinctCounter): void {
    if (other.#slots) {
      for (const hash of other.#kept()) this.addWithin([hash], Number.POSITIVE_INFINITY);
      return;
    }
    if (this.#slots) this.#sketchWithin([], Number.POSITIVE_INFINITY);
    this.#sketch!.absorb(other.#sketch!);
  }

  toBytes(): Uint8Array {
    return this.#sketch ? writeRegisters(this.#sketch.registers) : writeHashes([...this.#kept()]);
  }

  /** Those that were not added before, each once. There are at most as many as a page has records. */
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

  /** Lets the sketch take over, unless by its estimate there would be too many. */
  #sketchWithin(fresh: readonly Hash[], most: number): boolean {
    const sketch = new Sketch();
    for (const kept of this.#kept()) sketch.add(kept);
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
  }

  #has(hash: Hash): boolean {
    const at = this.#slotOf(hash);
    return this.#slots![at] !== 0 || this.#slots![at + 1] !== 0;
  }

  /** Where the hash is, or the empty slot where it would be. */
  #slotOf({ high, low }: Hash): number {
    const slots = this.#slots!;
    for (let slot = low % SLOTS; ; slot = (slot + 1) % SLOTS) {
      const at = 2 * slot;
      if (slots[at] === high && slots[at + 1] === low) return at;
      if (slots[at] === 0 && slots[at + 1] === 0) return at;
    }
  }

  *#kept(): Iterable<Hash> {
    const slots = this.#slots!;
    for (let at = 0; at < slots.length; at += 2) {
      if (slots[at] !== 0 || slots[at + 1] !== 0) yield { high: slots[at]!, low: slots[at + 1]! };
    }
  }
}

/** All zeros mark an empty slot. */
export const nonZero = (hash: Hash): Hash =>
  hash.high === 0 && hash.low === 0 ? { high: 0, low: 1 } : hash;
