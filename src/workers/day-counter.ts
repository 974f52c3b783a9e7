/**
 * In charge of counting a key's different records of a day in memory that several processes share. All
 * that is ever done there is to add a hash, to raise a register or to raise a number, each in one step:
 * no process waits for another, and one that is killed leaves at most one record uncounted.
 *
 * Between the look whether a page fits and the adding of it, another worker may add one that fitted as
 * well. So the budget may be exceeded by the pages that workers serve at that very moment: at most one
 * for each worker but one.
 */

import type { DayCounter, KeptCount } from "../access/budget.ts";
import { nonZero } from "../access/distinct.ts";
import { COUNTED_EXACTLY, readKept, writeHashes, writeRegisters } from "../access/distinct-form.ts";
import { estimateFrom, type Hash, RANKS, REGISTERS, rankOf, registerOf } from "../access/sketch.ts";
import { HashSet } from "./hash-set.ts";

/** Where things are: a few numbers, how many registers hold each rank, the registers, the hashes. */
const IS_SKETCHED = 0;
/** One more than the budget that was found spent; 0: none was. */
const EXCEEDED = 1;
const HASHES = 2;
const RANK_COUNTS = 8;
const NUMBERS_BYTES = 256;
const HASHES_AT = NUMBERS_BYTES + REGISTERS;

export const COUNTER_BYTES = HASHES_AT + HashSet.bytesFor(COUNTED_EXACTLY);

export class SharedDayCounter implements DayCounter {
  readonly #numbers: Int32Array;
  readonly #registers: Uint8Array;
  /** Those that were counted until there were too many of them to tell apart. */
  readonly #hashes: HashSet;

  /** All zeros at first. */
  constructor({ buffer, byteOffset }: Uint8Array) {
    this.#numbers = new Int32Array(buffer, byteOffset, NUMBERS_BYTES / 4);
    this.#registers = new Uint8Array(buffer, byteOffset + NUMBERS_BYTES, REGISTERS);
    const length = HashSet.bytesFor(COUNTED_EXACTLY);
    const memory = new Uint8Array(buffer, byteOffset + HASHES_AT, length);
    this.#hashes = new HashSet(memory, this.#numbers.subarray(HASHES, HASHES + 1));
  }

  get count(): number {
    return this.#isSketched ? Math.round(estimateFrom(this.#rankCounts())) : this.#hashes.count;
  }

  get exceeded(): number | null {
    const exceeded = Atomics.load(this.#numbers, EXCEEDED);
    return exceeded === 0 ? null : exceeded - 1;
  }

  set exceeded(most: number | null) {
    if (most !== null) raise(this.#numbers, EXCEEDED, most + 1);
  }

  addWithin(records: readonly Hash[], most: number): boolean {
    const hashes = records.map(nonZero);
    if (this.#isSketched) {
      if (hashes.every((hash) => this.#hasSeen(hash))) return true;
    } else {
      const missing = this.#hashes.countMissing(hashes);
      const count = this.#hashes.count + missing;
      if (count > most) return false;
      if (missing === 0) return true;
      if (count <= COUNTED_EXACTLY) {
        this.#add(hashes);
        return true;
      }
    }
    if (!this.#fits(hashes, most)) return false;
    this.#add(hashes);
    return true;
  }

  absorb({ counter, exceeded }: KeptCount): void {
    this.exceeded = exceeded;
    const kept = readKept(counter);
    if (kept === undefined) return;
    if ("hashes" in kept) {
      this.#add(kept.hashes);
      return;
    }
    Atomics.store(this.#numbers, IS_SKETCHED, 1);
    for (const [register, rank] of kept.registers.entries()) {
      this.#raise(register, Math.min(rank, RANKS - 1));
    }
  }

  toBytes(): Uint8Array {
    return this.#isSketched
      ? writeRegisters(this.#registers)
      : writeHashes([...this.#hashes].slice(0, COUNTED_EXACTLY));
  }

  get #isSketched(): boolean {
    return Atomics.load(this.#numbers, IS_SKETCHED) === 1;
  }

  /** By the sketch, which cannot tell every hash that it has seen from one that it has not. */
  #hasSeen(hash: Hash): boolean {
    return rankOf(hash) <= Atomics.load(this.#registers, registerOf(hash));
  }

  /** Whether, by the sketch, there would be no more than `most`. */
  #fits(hashes: readonly Hash[], most: number): boolean {
    const raised = new Map<number, number>();
    for (const hash of hashes) {
      const register = registerOf(hash);
      const rank = rankOf(hash);
      if (rank > (raised.get(register) ?? this.#registers[register]!)) raised.set(register, rank);
    }
    const counts = this.#rankCounts();
    for (const [register, rank] of raised) {
      counts[this.#registers[register]!]! -= 1;
      counts[rank]! += 1;
    }
    return estimateFrom(counts) <= most;
  }

  #add(hashes: readonly Hash[]): void {
    for (const hash of hashes) {
      if (!this.#isSketched && !this.#hashes.add(hash))
        Atomics.store(this.#numbers, IS_SKETCHED, 1);
      this.#raise(registerOf(hash), rankOf(hash));
    }
    if (this.#hashes.count > COUNTED_EXACTLY) Atomics.store(this.#numbers, IS_SKETCHED, 1);
  }

  #raise(register: number, rank: number): void {
    const before = raise(this.#registers, register, rank);
    if (before >= rank) return;
    if (before > 0) Atomics.sub(this.#numbers, RANK_COUNTS + before, 1);
    Atomics.add(this.#numbers, RANK_COUNTS + rank, 1);
  }

  /** How many registers hold each rank; those that were never raised are counted here alone. */
  #rankCounts(): number[] {
    const counts = Array.from({ length: RANKS }, (_, rank) =>
      rank === 0 ? 0 : Atomics.load(this.#numbers, RANK_COUNTS + rank),
    );
    counts[0] = REGISTERS - counts.reduce((sum, count) => sum + count, 0);
    return counts;
  }
}

/** Makes a number at least so high; gives what it was. */
function raise(numbers: Int32Array | Uint8Array, at: number, least: number): number {
  for (;;) {
    const before = Atomics.load(numbers, at);
    if (before >= least) return before;
    if (Atomics.compareExchange(numbers, at, before, least) === before) return before;
  }
}
