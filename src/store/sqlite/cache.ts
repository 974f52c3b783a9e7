/** In charge of the players and teams that a reader holds in memory: the ones asked for lately. */

import type { NamedFragments } from "../store.ts";

/** A player or team with the number that stands for it in the shard's tables. */
export interface NamedEntry extends NamedFragments {
  num: number;
  id: string;
  name: string;
}

interface Kept {
  entry: NamedEntry;
  /** Whether it was asked for since it was last looked at for removal. */
  isUsed: boolean;
}

/** What an entry takes beside its fragments, roughly: objects, keys, places in the maps. */
const ENTRY_BYTES = 700;

/** Kept in the order in which they came. The oldest goes first, unless it was asked for meanwhile. */
export class NamedCache {
  readonly #byNumber = new Map<number, Kept>();
  readonly #byId = new Map<string, Kept>();
  #held = 0;

  constructor(readonly bytes: number) {}

  byNumber(num: number): NamedEntry | undefined {
    return used(this.#byNumber.get(num));
  }

  byId(id: string): NamedEntry | undefined {
    return used(this.#byId.get(id));
  }

  add(entry: NamedEntry): NamedEntry {
    this.forget(entry.num);
    const kept = { entry, isUsed: false };
    this.#byNumber.set(entry.num, kept);
    this.#byId.set(entry.id, kept);
    this.#held += sizeOf(entry);
    while (this.#held > this.bytes && this.#byNumber.size > 1) this.#makeRoom();
    return entry;
  }

  forget(num: number): void {
    const kept = this.#byNumber.get(num);
    if (!kept) return;
    this.#byNumber.delete(num);
    this.#byId.delete(kept.entry.id);
    this.#held -= sizeOf(kept.entry);
  }

  clear(): void {
    this.#byNumber.clear();
    this.#byId.clear();
    this.#held = 0;
  }

  #makeRoom(): void {
    const [num, kept] = this.#byNumber.entries().next().value!;
    if (!kept.isUsed) {
      this.forget(num);
      return;
    }
    kept.isUsed = false;
    this.#byNumber.delete(num);
    this.#byNumber.set(num, kept);
  }
}

function used(kept: Kept | undefined): NamedEntry | undefined {
  if (!kept) return undefined;
  kept.isUsed = true;
  return kept.entry;
}

function sizeOf({ resource, companions }: NamedEntry): number {
  return ENTRY_BYTES + resource.length + (companions?.length ?? 0);
}
