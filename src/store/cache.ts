/** In charge of the players and teams that a reader holds in memory: the ones asked for lately. */

import { type NamedEntry, Slab, sizeOf } from "./slab.ts";
import type { NamedParts } from "./store.ts";

/** A place: the slab's index, then the word within it. 18 bits of words are 1 MiB. */
const WORD_BITS = 18;
const WORD_MASK = (1 << WORD_BITS) - 1;
const LARGEST_SLAB = 4 << WORD_BITS;
/** As many as places have room for: 8 GiB. */
const MOST_SLABS = 1 << (31 - WORD_BITS);
const FEWEST_SLABS = 4;
/** The rest is for the two maps. */
const SLABS_SHARE = 7 / 8;

/**
 * Slabs are filled in turn. When the memory is used up, the oldest slab is replaced: what was asked
 * for since it came there goes on in the new one, the rest is forgotten.
 */
export class NamedCache {
  readonly #slabs: Slab[] = [];
  readonly #byNumber = new Map<number, number>();
  /** By a hash of the id. Of two ids with one hash, only the latter is found here. */
  readonly #byId = new Map<number, number>();
  readonly #slabSize: number;
  readonly #slabCount: number;
  #current = -1;

  constructor(bytes: number) {
    const room = bytes * SLABS_SHARE;
    this.#slabSize = Math.min(LARGEST_SLAB, 4 * Math.floor(room / FEWEST_SLABS / 4));
    this.#slabCount = Math.min(MOST_SLABS, Math.floor(room / Math.max(this.#slabSize, 1)));
  }

  byNumber(num: number): NamedParts | undefined {
    const place = this.#byNumber.get(num);
    if (place === undefined) return undefined;
    const slab = this.#slabAt(place);
    slab.use(place & WORD_MASK);
    return slab.parts(place & WORD_MASK);
  }

  byId(id: string): NamedEntry | undefined {
    const place = this.#byId.get(hashOf(id));
    if (place === undefined) return undefined;
    const slab = this.#slabAt(place);
    const at = place & WORD_MASK;
    // What was forgotten by its number is still in this map.
    if (!slab.hasId(at, id) || this.#byNumber.get(slab.num(at)) !== place) return undefined;
    slab.use(at);
    return slab.entry(at);
  }

  /** One that is too large for the cache is not kept. */
  add(entry: NamedEntry): void {
    const size = sizeOf(entry);
    if (size > this.#slabSize / 2) return;
    while (!this.#slabs[this.#current]?.hasRoomFor(size)) this.#nextSlab();
    this.#keep(entry, size);
  }

  forget(num: number): void {
    this.#byNumber.delete(num);
  }

  clear(): void {
    this.#slabs.length = 0;
    this.#byNumber.clear();
    this.#byId.clear();
    this.#current = -1;
  }

  #keep(entry: NamedEntry, size: number): void {
    const place = (this.#current << WORD_BITS) | this.#slabs[this.#current]!.add(entry, size);
    this.#byNumber.set(entry.num, place);
    this.#byId.set(hashOf(entry.id), place);
  }

  #nextSlab(): void {
    this.#current = (this.#current + 1) % this.#slabCount;
    const old = this.#slabs[this.#current];
    this.#slabs[this.#current] = new Slab(this.#slabSize);
    if (old) this.#moveFrom(old);
  }

  /** At most half of the slab is taken over, so that a busy time does not copy all of the memory. */
  #moveFrom(old: Slab): void {
    const slab = this.#slabs[this.#current]!;
    for (const at of old.places()) {
      const place = (this.#current << WORD_BITS) | at;
      const entry = old.entry(at);
      const hash = hashOf(entry.id);
      if (this.#byId.get(hash) === place) this.#byId.delete(hash);
      if (this.#byNumber.get(entry.num) !== place) continue;
      this.#byNumber.delete(entry.num);
      if (old.isUsed(at) && slab.hasRoomFor(this.#slabSize / 2)) this.#keep(entry, sizeOf(entry));
    }
  }

  #slabAt(place: number): Slab {
    return this.#slabs[place >>> WORD_BITS]!;
  }
}

/** FNV-1a. Ids are of ASCII. */
function hashOf(id: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < id.length; index++) {
    hash = Math.imul(hash ^ id.charCodeAt(index), 0x01000193);
  }
  return hash | 0;
}
