/**
 * What a reader keeps in memory of one state of its shard: the players, teams and matches that it has read last, in large
 * buffers. As single objects they would be scattered in memory, and the garbage collector would visit each one: a match by
 * id then takes a third longer.
 */

import { copyInto, whole } from "./byte-range.ts";
import { type CommitState, type CommitsSince, changedMatches } from "./core/change-log.ts";
import type { MatchDocument } from "./match-document.ts";
import { unpackNumbers } from "./row-encoding.ts";
import type { NamedParts, NamedPlayer } from "./store.ts";
import type { NamedColumns } from "./tables.ts";

/** A match takes ten times as much as a player, and there are far fewer teams. */
const SHARES = { players: 1 / 4, teams: 1 / 32, matches: 23 / 32 };
/** For a reader that gets its matches with the state they are in. */
export const WITHOUT_MATCHES = { players: 7 / 8, teams: 1 / 8, matches: 0 };

export class ReaderCache {
  readonly players: NamedCache;
  readonly teams: NamedCache;
  readonly matches: NamedCache;
  /** The state of the shard that all of it is from. */
  state: CommitState = { sequence: -1, token: "none" };

  constructor(bytes: number, shares = SHARES) {
    this.players = new NamedCache(bytes * shares.players);
    this.teams = new NamedCache(bytes * shares.teams);
    this.matches = new NamedCache(bytes * shares.matches);
  }

  /** Drops what changed up to a later state; everything if that is not known. */
  moveTo({ now, missed }: CommitsSince): void {
    for (const change of missed ?? []) {
      for (const num of unpackNumbers(change.players)) this.players.forget(num);
      for (const num of unpackNumbers(change.teams)) this.teams.forget(num);
      for (const id of changedMatches(change)) this.matches.forget(hashOf(id));
    }
    if (!missed) for (const one of [this.players, this.teams, this.matches]) one.clear();
    this.state = now;
  }
}

/** A match is cached like a player, under a number that follows from its id. */
export const matchEntry = ({ id, range }: MatchDocument): NamedEntry => ({
  num: hashOf(id),
  id,
  name: "",
  resource: range,
  companions: undefined,
  lastMatchAt: undefined,
});

/** A player or team with its internal number. */
export interface NamedEntry extends NamedParts, NamedPlayer {
  num: number;
}

/** Of a row that has been verified. */
export const entryOf = (row: NamedColumns): NamedEntry => ({
  num: row.num,
  id: row.id,
  name: row.name,
  resource: whole(row.resource),
  companions: row.linked ?? undefined,
  lastMatchAt: row.last_match_at,
});

/** An entry's location: page number, then word within the page. 18 bits of words are 1 MiB. */
const WORD_BITS = 18;
const WORD_MASK = (1 << WORD_BITS) - 1;
const MAX_PAGE_SIZE = 4 << WORD_BITS;
/** As many as fit into 31 bits: 8 GiB. */
const MAX_PAGES = 1 << (31 - WORD_BITS);
const MIN_PAGES = 4;
/** The rest is for finding entries. */
const PAGES_SHARE = 7 / 8;
/** Entries are several times as large, so that few share a slot. */
const BYTES_PER_SLOT = 64;

/**
 * Pages are filled in turn. When all are full, the oldest is replaced: its entries that were used
 * since move to the new page, and the others are dropped.
 */
export class NamedCache {
  readonly #pages: CachePage[] = [];
  /**
   * By the low bits of a number, the location plus one; 0 if there is none. Numbers are dense, and a map would take
   * longer. On a collision, only the later entry is found.
   */
  #slots: Int32Array;
  /** By a hash of the id. On a collision, only the later entry is found. */
  readonly #byId = new Map<number, number>();
  readonly #pageSize: number;
  readonly #pageCount: number;
  #current = -1;

  constructor(bytes: number) {
    const room = bytes * PAGES_SHARE;
    this.#pageSize = Math.min(MAX_PAGE_SIZE, 4 * Math.floor(room / MIN_PAGES / 4));
    this.#pageCount = Math.min(MAX_PAGES, Math.floor(room / Math.max(this.#pageSize, 1)));
    const slots = Math.max(1, (this.#pageCount * this.#pageSize) / BYTES_PER_SLOT);
    this.#slots = new Int32Array(2 ** Math.ceil(Math.log2(slots)));
  }

  byNumber(num: number): NamedParts | undefined {
    const location = this.#locate(num);
    if (location < 0) return undefined;
    const page = this.#pageAt(location);
    page.use(location & WORD_MASK);
    return page.parts(location & WORD_MASK);
  }

  byId(id: string): NamedEntry | undefined {
    const location = this.#byId.get(hashOf(id));
    if (location === undefined) return undefined;
    const page = this.#pageAt(location);
    const at = location & WORD_MASK;
    // Entries that were dropped by number are still in this map.
    if (!page.hasId(at, id) || this.#locate(page.num(at)) !== location) return undefined;
    page.use(at);
    return page.entry(at, id);
  }

  entryOf(num: number): NamedEntry | undefined {
    const location = this.#locate(num);
    if (location < 0) return undefined;
    const page = this.#pageAt(location);
    const at = location & WORD_MASK;
    page.use(at);
    return page.entry(at, page.id(at));
  }

  /** Whether the entry with this number has this id. */
  hasId(num: number, id: string): boolean {
    const location = this.#locate(num);
    return location >= 0 && this.#pageAt(location).hasId(location & WORD_MASK, id);
  }

  /** Entries that are too large are not cached. */
  add(entry: NamedEntry): void {
    const size = sizeOf(entry);
    if (size > this.#pageSize / 2) return;
    while (!this.#pages[this.#current]?.hasRoomFor(size)) this.#nextPage();
    this.#keep(entry, size);
  }

  forget(num: number): void {
    if (this.#locate(num) >= 0) this.#slots[this.#slotOf(num)] = 0;
  }

  clear(): void {
    this.#pages.length = 0;
    // Memory that was never written to is not taken from the system.
    this.#slots = new Int32Array(this.#slots.length);
    this.#byId.clear();
    this.#current = -1;
  }

  #keep(entry: NamedEntry, size: number): void {
    const location = (this.#current << WORD_BITS) | this.#pages[this.#current]!.add(entry, size);
    this.#slots[this.#slotOf(entry.num)] = location + 1;
    this.#byId.set(hashOf(entry.id), location);
  }

  #nextPage(): void {
    this.#current = (this.#current + 1) % this.#pageCount;
    const old = this.#pages[this.#current];
    this.#pages[this.#current] = new CachePage(this.#pageSize);
    if (old) this.#moveFrom(old);
  }

  /** Keeps at most half of the page, so that heavy use does not copy the whole cache. */
  #moveFrom(old: CachePage): void {
    const page = this.#pages[this.#current]!;
    for (const at of old.entries()) {
      const location = (this.#current << WORD_BITS) | at;
      const entry = old.entry(at, old.id(at));
      const hash = hashOf(entry.id);
      if (this.#byId.get(hash) === location) this.#byId.delete(hash);
      const slot = this.#slotOf(entry.num);
      if (this.#slots[slot] !== location + 1) continue;
      this.#slots[slot] = 0;
      if (old.isUsed(at) && page.hasRoomFor(this.#pageSize / 2)) this.#keep(entry, sizeOf(entry));
    }
  }

  /** The location of the entry with this number; -1 if there is none. */
  #locate(num: number): number {
    const location = this.#slots[this.#slotOf(num)]! - 1;
    return location >= 0 && this.#pageAt(location).num(location & WORD_MASK) === num
      ? location
      : -1;
  }

  #slotOf(num: number): number {
    return num & (this.#slots.length - 1);
  }

  #pageAt(location: number): CachePage {
    return this.#pages[location >>> WORD_BITS]!;
  }
}

/** FNV-1a over ASCII. */
function hashOf(id: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < id.length; index++) {
    hash = Math.imul(hash ^ id.charCodeAt(index), 0x01000193);
  }
  return hash | 0;
}

const WORD = 4;
const WORDS = 9;

/** Word offsets in an entry. */
const SIZE = 0;
const NUM = 1;
const IS_USED = 2;
const ID_LENGTH = 3;
const NAME_LENGTH = 4;
const RESOURCE_LENGTH = 5;
const COMPANIONS_LENGTH = 6;
/** A double, in two words; NaN for a team. */
const TIME = 7;

const NO_COMPANIONS = -1;

/** In bytes. */
function sizeOf({ id, name, resource, companions }: NamedEntry): number {
  const parts = resource.end - resource.start + (companions?.length ?? 0);
  const bytes = id.length + Buffer.byteLength(name) + parts;
  return WORD * (WORDS + Math.ceil(bytes / WORD));
}

/**
 * A buffer with entries one after another: nine words, then id, name, resource and linked
 * resources, padded to a whole word. An entry is identified by its first word. Written bytes never
 * change, so callers may keep references to them.
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

  /** The start of each entry, oldest first. */
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
    };
  }

  id(at: number): string {
    return this.#bytes.toString("latin1", (at + WORDS) * WORD, this.#nameAt(at));
  }

  entry(at: number, id: string): NamedEntry {
    const nameAt = this.#nameAt(at);
    const name = this.#bytes.toString("utf8", nameAt, nameAt + this.#words[at + NAME_LENGTH]!);
    const { resource, companions, lastMatchAt } = this.parts(at);
    return { num: this.num(at), id, name, resource, companions, lastMatchAt };
  }

  #nameAt(at: number): number {
    return (at + WORDS) * WORD + this.#words[at + ID_LENGTH]!;
  }
}
