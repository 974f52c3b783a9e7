/**
 * The players and teams that a reader holds in memory: those asked for lately. They lie in large buffers:
 * as objects of their own they would be scattered, and the garbage collector would visit each of them.
 */

import { copyInto, whole } from "./byte-range.ts";
import type { CheckFragment, NamedParts } from "./store.ts";

/** A player or team with the number that stands for it in the shard's tables. */
export interface NamedEntry extends NamedParts {
  num: number;
  id: string;
  name: string;
}

/** The same as the tables of both engines have it. */
export interface NamedRow {
  num: number;
  id: string;
  name: string;
  resource: Uint8Array;
  companions: Uint8Array | null;
  lastMatchAt: number | null;
}

/** What comes from a table is checked once. */
export function readEntry(row: NamedRow, check: CheckFragment): NamedEntry {
  const { num, id, name, resource, companions, lastMatchAt } = row;
  check(resource);
  if (companions) check(companions);
  return {
    num,
    id,
    name,
    resource: whole(resource),
    companions: companions ?? undefined,
    lastMatchAt: lastMatchAt ?? undefined,
    isChecked: true,
  };
}

/** Where an entry is: the number of its page, then the word within it. 18 bits of words are 1 MiB. */
const WORD_BITS = 18;
const WORD_MASK = (1 << WORD_BITS) - 1;
const LARGEST_PAGE = 4 << WORD_BITS;
/** As many as fit into 31 bits: 8 GiB. */
const MOST_PAGES = 1 << (31 - WORD_BITS);
const FEWEST_PAGES = 4;
/** The rest is for the two maps. */
const PAGES_SHARE = 7 / 8;

/**
 * Pages are filled in turn. When the memory is used up, the oldest page is replaced: what was asked
 * for since it came there is moved to the new one, the rest is forgotten.
 */
export class NamedCache {
  readonly #pages: CachePage[] = [];
  readonly #byNumber = new Map<number, number>();
  /** By a hash of the id. Of two ids with one hash, only the latter is found here. */
  readonly #byId = new Map<number, number>();
  readonly #pageSize: number;
  readonly #pageCount: number;
  #current = -1;

  constructor(bytes: number) {
    const room = bytes * PAGES_SHARE;
    this.#pageSize = Math.min(LARGEST_PAGE, 4 * Math.floor(room / FEWEST_PAGES / 4));
    this.#pageCount = Math.min(MOST_PAGES, Math.floor(room / Math.max(this.#pageSize, 1)));
  }

  byNumber(num: number): NamedParts | undefined {
    const location = this.#byNumber.get(num);
    if (location === undefined) return undefined;
    const page = this.#pageAt(location);
    page.use(location & WORD_MASK);
    return page.parts(location & WORD_MASK);
  }

  byId(id: string): NamedEntry | undefined {
    const location = this.#byId.get(hashOf(id));
    if (location === undefined) return undefined;
    const page = this.#pageAt(location);
    const at = location & WORD_MASK;
    // What was forgotten by its number is still in this map.
    if (!page.hasId(at, id) || this.#byNumber.get(page.num(at)) !== location) return undefined;
    page.use(at);
    return page.entry(at);
  }

  /** One that is too large for the cache is not kept. */
  add(entry: NamedEntry): void {
    const size = sizeOf(entry);
    if (size > this.#pageSize / 2) return;
    while (!this.#pages[this.#current]?.hasRoomFor(size)) this.#nextPage();
    this.#keep(entry, size);
  }

  forget(num: number): void {
    this.#byNumber.delete(num);
  }

  clear(): void {
    this.#pages.length = 0;
    this.#byNumber.clear();
    this.#byId.clear();
    this.#current = -1;
  }

  #keep(entry: NamedEntry, size: number): void {
    const location = (this.#current << WORD_BITS) | this.#pages[this.#current]!.add(entry, size);
    this.#byNumber.set(entry.num, location);
    this.#byId.set(hashOf(entry.id), location);
  }

  #nextPage(): void {
    this.#current = (this.#current + 1) % this.#pageCount;
    const old = this.#pages[this.#current];
    this.#pages[this.#current] = new CachePage(this.#pageSize);
    if (old) this.#moveFrom(old);
  }

  /** At most half of the page is taken over, so that a busy time does not copy all of the memory. */
  #moveFrom(old: CachePage): void {
    const page = this.#pages[this.#current]!;
    for (const at of old.entries()) {
      const location = (this.#current << WORD_BITS) | at;
      const entry = old.entry(at);
      const hash = hashOf(entry.id);
      if (this.#byId.get(hash) === location) this.#byId.delete(hash);
      if (this.#byNumber.get(entry.num) !== location) continue;
      this.#byNumber.delete(entry.num);
      if (old.isUsed(at) && page.hasRoomFor(this.#pageSize / 2)) this.#keep(entry, sizeOf(entry));
    }
  }

  #pageAt(location: number): CachePage {
    return this.#pages[location >>> WORD_BITS]!;
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

const WORD = 4;
const WORDS = 9;

/** The words of an entry. */
const SIZE = 0;
const NUM = 1;
const IS_USED = 2;
const ID_LENGTH = 3;
const NAME_LENGTH = 4;
const RESOURCE_LENGTH = 5;
const COMPANIONS_LENGTH = 6;
/** A double, in two words; not a number for a team. */
const TIME = 7;

const NO_COMPANIONS = -1;

/** How much of a page an entry takes, in bytes. */
function sizeOf({ id, name, resource, companions }: NamedEntry): number {
  const parts = resource.end - resource.start + (companions?.length ?? 0);
  const bytes = id.length + Buffer.byteLength(name) + parts;
  return WORD * (WORDS + Math.ceil(bytes / WORD));
}

/**
 * One part of the cache, in which entries lie one after another: nine words, then the id, the name, the
 * resource and the linked resources, padded to a whole word. An entry is found by the word at which it
 * begins. What is written stays as it is: whoever was given bytes from here may keep them.
 */
class CachePage {
  readonly #bytes: Buffer<ArrayBuffer>;
  readonly #words: Int32Array;
  #end = 0;

  constructor(size: number) {
    this.#bytes = Buffer.allocUnsafeSlow(size);
    this.#words = new Int32Array(this.#bytes.buffer);
  }

  hasRoomFor(size: number): boolean {
    return this.#end * WORD + size <= this.#bytes.length;
  }

  add(entry: NamedEntry, size: number): number {
    const { id, name, resource, companions, lastMatchAt } = entry;
    const at = this.#end;
    let end = (at + WORDS) * WORD;
    end += this.#bytes.write(id, end, "latin1");
    const nameLength = this.#bytes.write(name, end, "utf8");
    end += nameLength;
    const resourceEnd = copyInto(this.#bytes, end, resource);
    if (companions) this.#bytes.set(companions, resourceEnd);
    this.#words[at + SIZE] = size / WORD;
    this.#words[at + NUM] = entry.num;
    this.#words[at + IS_USED] = 0;
    this.#words[at + ID_LENGTH] = id.length;
    this.#words[at + NAME_LENGTH] = nameLength;
    this.#words[at + RESOURCE_LENGTH] = resourceEnd - end;
    this.#words[at + COMPANIONS_LENGTH] = companions?.length ?? NO_COMPANIONS;
    this.#bytes.writeDoubleLE(lastMatchAt ?? Number.NaN, (at + TIME) * WORD);
    this.#end += size / WORD;
    return at;
  }

  /** Where the entries begin, in the order in which they came. */
  *entries(): Iterable<number> {
    for (let at = 0; at < this.#end; at += this.#words[at + SIZE]!) yield at;
  }

  use(at: number): void {
    this.#words[at + IS_USED] = 1;
  }

  isUsed(at: number): boolean {
    return this.#words[at + IS_USED] === 1;
  }

  num(at: number): number {
    return this.#words[at + NUM]!;
  }

  hasId(at: number, id: string): boolean {
    if (this.#words[at + ID_LENGTH] !== id.length) return false;
    const start = (at + WORDS) * WORD;
    for (let index = 0; index < id.length; index++) {
      if (this.#bytes[start + index] !== id.charCodeAt(index)) return false;
    }
    return true;
  }

  parts(at: number): NamedParts {
    const start = this.#nameAt(at) + this.#words[at + NAME_LENGTH]!;
    const end = start + this.#words[at + RESOURCE_LENGTH]!;
    const companions = this.#words[at + COMPANIONS_LENGTH]!;
    const time = this.#bytes.readDoubleLE((at + TIME) * WORD);
    return {
      resource: { bytes: this.#bytes, start, end },
      companions:
        companions === NO_COMPANIONS ? undefined : this.#bytes.subarray(end, end + companions),
      lastMatchAt: Number.isNaN(time) ? undefined : time,
      isChecked: true,
    };
  }

  entry(at: number): NamedEntry {
    const nameAt = this.#nameAt(at);
    return {
      num: this.num(at),
      id: this.#bytes.toString("latin1", (at + WORDS) * WORD, nameAt),
      name: this.#bytes.toString("utf8", nameAt, nameAt + this.#words[at + NAME_LENGTH]!),
      ...this.parts(at),
    };
  }

  #nameAt(at: number): number {
    return (at + WORDS) * WORD + this.#words[at + ID_LENGTH]!;
  }
}
