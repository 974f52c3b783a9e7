/** A cache with a limit in bytes: the entry that was not used for the longest time is dropped first. */
export class ByteCache<Value> {
  /** The least recently used entry first. */
  readonly #entries = new Map<string, { value: Value; size: number }>();
  #size = 0;

  constructor(private readonly limit: number) {}

  get(key: string): Value | undefined {
    const entry = this.#entries.get(key);
    if (!entry) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry.value;
  }

  /** Values that are larger than the cache are not added. */
  set(key: string, value: Value, bytes: number): void {
    const size = bytes + 2 * key.length + OVERHEAD;
    this.delete(key);
    if (size > this.limit) return;
    this.#entries.set(key, { value, size });
    this.#size += size;
    for (const [oldest] of this.#entries) {
      if (this.#size <= this.limit) return;
      this.delete(oldest);
    }
  }

  delete(key: string): void {
    this.#size -= this.#entries.get(key)?.size ?? 0;
    this.#entries.delete(key);
  }
}

/** Roughly, of an entry: the objects around its bytes. */
const OVERHEAD = 1024;
