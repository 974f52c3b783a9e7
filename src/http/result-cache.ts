/**
 * Caches what was read for a request, until the shard changes: many clients poll the newest matches or the same player.
 * A result is cached when it is requested for the second time.
 */

import { type Content, hotContent } from "../document/content.ts";
import type { Awaitable } from "../domain/awaitable.ts";
import type { Window } from "../query/query.ts";
import type { LocalState, Reader } from "../store/store.ts";
import { ByteCache } from "./byte-cache.ts";

/** What an endpoint read, apart from links and times. */
interface Result {
  content: Content;
}

/** What a result depends on, apart from the endpoint and the time. */
interface CachedRequest {
  reader: Pick<Reader, "local">;
  shard: string;
  id: string;
  query: string;
}

interface Entry {
  result: Result;
  /** The state of the shard that it was read in. */
  state: object;
  window: Window | undefined;
  /** When a match leaves the window that it was read for, and when one enters it; undefined if not known yet. */
  changes: { start: number; end: number } | undefined;
}

/** How many requests are remembered, to find out which come again. */
const MAX_SEEN = 4096;

export class ResultCache {
  readonly #entries: ByteCache<Entry>;
  #seen = new Set<string>();

  constructor(private readonly bytes: number) {
    this.#entries = new ByteCache(bytes);
  }

  /** `window` is the time window, if the result depends on one: it may move with the time of the request. */
  find<T extends Result>(
    { reader, shard, id, query }: CachedRequest,
    endpoint: string,
    window: Window | undefined,
    read: () => Awaitable<T>,
  ): Awaitable<T> {
    const { local } = reader;
    if (!local || this.bytes === 0) return read();
    const state = local.state();
    const key = `${endpoint} ${shard} ${query} ${id}`;
    const entry = this.#entries.get(key);
    if (entry && entry.state === state && isCurrent(entry, window, local)) {
      return entry.result as T;
    }
    if (!entry && !this.#wasSeen(key)) return read();
    return this.#readAndCache(key, local, state, window, read);
  }

  async #readAndCache<T extends Result>(
    key: string,
    local: LocalState,
    state: object,
    window: Window | undefined,
    read: () => Awaitable<T>,
  ): Promise<T> {
    const found = await read();
    const result = { ...found, content: hotContent(found.content) };
    // The shard may have changed meanwhile.
    if (local.state() === state) {
      const entry = { result, state, window, changes: undefined };
      this.#entries.set(key, entry, result.content.size);
    }
    return result;
  }

  #wasSeen(key: string): boolean {
    if (this.#seen.has(key)) return true;
    if (this.#seen.size >= MAX_SEEN) this.#seen = new Set();
    this.#seen.add(key);
    return false;
  }
}

/** Whether a window that has moved since contains the same matches. */
function isCurrent(entry: Entry, window: Window | undefined, local: LocalState): boolean {
  const before = entry.window;
  if (!window || !before) return true;
  if (window.start === before.start && window.end === before.end) return true;
  if (window.start < before.start || window.end < before.end) return false;
  entry.changes ??= {
    start: local.nextMatch(before.start) ?? Number.POSITIVE_INFINITY,
    end: local.nextMatch(before.end + 1) ?? Number.POSITIVE_INFINITY,
  };
  return window.start <= entry.changes.start && window.end < entry.changes.end;
}
