/** In charge of the players and teams that a reader holds in memory: the ones asked for lately. */

import type { NamedFragments } from "../store.ts";

/** A player or team with the number that stands for it in the shard's tables. */
export interface NamedEntry extends NamedFragments {
  num: number;
  id: string;
  name: string;
}

/** What an entry takes beside its fragments, roughly: objects, keys, places in the maps. */
const ENTRY_BYTES = 700;

interface Generation {
  byNumber: Map<number, NamedEntry>;
  byId: Map<string, NamedEntry>;
  bytes: number;
}

/**
 * Two generations: what is asked for goes into the young one; when that has taken half of the room,
 * it becomes the old one, and the old one is forgotten. So the ones in use stay, and no list of uses
 * has to be kept in order.
 */
export class NamedCache {
  #young = emptyGeneration();
  #old = emptyGeneration();

  constructor(readonly bytes: number) {}

  byNumber(num: number): NamedEntry | undefined {
    return this.#young.byNumber.get(num) ?? this.#renewed(this.#old.byNumber.get(num));
  }

  byId(id: string): NamedEntry | undefined {
    return this.#young.byId.get(id) ?? this.#renewed(this.#old.byId.get(id));
  }

  add(entry: NamedEntry): NamedEntry {
    const young = this.#young;
    young.byNumber.set(entry.num, entry);
    young.byId.set(entry.id, entry);
    young.bytes += ENTRY_BYTES + entry.resource.length + (entry.companions?.length ?? 0);
    if (young.bytes > this.bytes / 2) {
      this.#old = young;
      this.#young = emptyGeneration();
    }
    return entry;
  }

  forget(num: number): void {
    for (const generation of [this.#young, this.#old]) {
      const entry = generation.byNumber.get(num);
      if (!entry) continue;
      generation.byNumber.delete(num);
      generation.byId.delete(entry.id);
    }
  }

  clear(): void {
    this.#young = emptyGeneration();
    this.#old = emptyGeneration();
  }

  #renewed(entry: NamedEntry | undefined): NamedEntry | undefined {
    return entry && this.add(entry);
  }
}

function emptyGeneration(): Generation {
  return { byNumber: new Map(), byId: new Map(), bytes: 0 };
}
