/**
 * In charge of one stretch of the cache's memory, in which players and teams lie one after another.
 * As objects of their own they would lie scattered, and the runtime would visit each of them whenever
 * it looks for garbage. What is written stays as it is: whoever was given bytes from here may keep them.
 *
 * An entry: nine words, then the id, the name, the resource and the companions, then up to three
 * bytes, so that the next entry begins at a whole word.
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
/** A time in milliseconds takes two words. */
const TIME_HIGH = 7;
const TIME_LOW = 8;

const NO_COMPANIONS = -1;
/** No date reaches so far back. */
const NO_TIME = -(2 ** 31);

/** How much of a slab an entry takes, in bytes. */
export function sizeOf({ id, name, resource, companions }: NamedEntry): number {
  const parts = resource.end - resource.start + (companions?.length ?? 0);
  const bytes = id.length + Buffer.byteLength(name) + parts;
  return WORD * (WORDS + Math.ceil(bytes / WORD));
}

/** Entries are found by the word at which they begin. */
export class Slab {
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
    this.#words[at + TIME_HIGH] =
      lastMatchAt === undefined ? NO_TIME : Math.floor(lastMatchAt / 2 ** 32);
    this.#words[at + TIME_LOW] = lastMatchAt ?? 0;
    this.#end += size / WORD;
    return at;
  }

  /** Where the entries begin, in the order in which they came. */
  *places(): Iterable<number> {
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
    return {
      resource: { bytes: this.#bytes, start, end },
      companions:
        companions === NO_COMPANIONS ? undefined : this.#bytes.subarray(end, end + companions),
      lastMatchAt: this.#time(at),
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

  #time(at: number): number | undefined {
    const high = this.#words[at + TIME_HIGH]!;
    return high === NO_TIME ? undefined : high * 2 ** 32 + (this.#words[at + TIME_LOW]! >>> 0);
  }

  #nameAt(at: number): number {
    return (at + WORDS) * WORD + this.#words[at + ID_LENGTH]!;
  }
}
