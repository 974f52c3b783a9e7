/**
 * A cache with a limit in bytes. Entries that were used since they were added, or last spared, are spared once; of the
 * others, the oldest is dropped first. Unlike with an exact order of use, a hit costs no more than a lookup.
 */
export class ByteCache<Value> {
  /** The oldest entry first. */
  readonly #entries = new Map<string, { value: Value; size: number; isUsed: boolean }>();
  #size = 0;

  constructor(private readonly limit: number) {}

  get(key: string): Value | undefined {
    const entry = this.#entries.get(key);
    if (!entry) return undefined;
    entry.isUsed = true;
    return entry.value;
  }

  /** Values that are larger than the cache are not added. */
  set(key: string, value: Value, bytes: number): void {
    const size = bytes + 2 * key.length + OVERHEAD;
    this.delete(key);
    if (size > this.limit) return;
    this.#entries.set(key, { value, size, isUsed: false });
    this.#size += size;
    // Entries that are spared come again at the end, not used any more.
    for (const [oldest, entry] of this.#entries) {
      if (this.#size <= this.limit) return;
      this.delete(oldest);
      if (entry.isUsed) {
        this.#entries.set(oldest, { ...entry, isUsed: false });
        this.#size += entry.size;
      }
    }
  }

  delete(key: string): void {
    this.#size -= this.#entries.get(key)?.size ?? 0;
    this.#entries.delete(key);
  }
}

/** Roughly, of an entry: the objects around its bytes. */
const OVERHEAD = 1024;
