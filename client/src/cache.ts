/** Caches responses for conditional requests. */

export interface CachedResponse {
  etag: string;
  document: unknown;
  text: string;
}

/** The latest responses by URL. A client has one key, so the URL is enough. */
export class ResponseCache {
  readonly #maxSize: number;
  /** Least recently used first. */
  readonly #responses = new Map<string, CachedResponse>();

  constructor(maxSize: number) {
    this.#maxSize = maxSize;
  }

  find(url: string): CachedResponse | undefined {
    const cached = this.#responses.get(url);
    if (cached) this.#touch(url, cached);
    return cached;
  }

  add(url: string, cached: CachedResponse): void {
    if (this.#maxSize === 0) return;
    this.#touch(url, cached);
    if (this.#responses.size <= this.#maxSize) return;
    const [oldest] = this.#responses.keys();
    if (oldest !== undefined) this.#responses.delete(oldest);
  }

  #touch(url: string, cached: CachedResponse): void {
    this.#responses.delete(url);
    this.#responses.set(url, cached);
  }
}
