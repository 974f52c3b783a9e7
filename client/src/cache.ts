/** Caches responses for conditional requests. */

export interface Kept {
  etag: string;
  document: unknown;
  text: string;
}

/** The latest responses by URL. A client has one key, so the URL is enough. */
export class ReplyCache {
  readonly #most: number;
  /** Least recently used first. */
  readonly #kept = new Map<string, Kept>();

  constructor(most: number) {
    this.#most = most;
  }

  find(address: string): Kept | undefined {
    const kept = this.#kept.get(address);
    if (kept) this.#touch(address, kept);
    return kept;
  }

  keep(address: string, kept: Kept): void {
    if (this.#most === 0) return;
    this.#touch(address, kept);
    if (this.#kept.size <= this.#most) return;
    const [oldest] = this.#kept.keys();
    if (oldest !== undefined) this.#kept.delete(oldest);
  }

  #touch(address: string, kept: Kept): void {
    this.#kept.delete(address);
    this.#kept.set(address, kept);
  }
}
