/**
 * Caches what was read for a list, until the shard changes: many clients poll the newest matches or the same player.
 * A result is cached when it is requested again soon: caching everything would take longer than reading it.
 */

import { type Content, hotContent } from "../document/content.ts";
import { type Awaitable, after } from "../domain/awaitable.ts";
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

/** How old a costly result may be if the reader does not know whether the shard has changed. */
const RECENT_MS = 1000;
const MAX_RECENT = 100;

interface Recent {
  time: number;
  result: Awaitable<Result>;
}

export class ResultCache {
  readonly #entries: ByteCache<Entry>;
  /** By request, oldest first. */
  readonly #recent = new Map<string, Recent>();
  /** Requests whose results would be in the cache if everything were cached. */
  readonly #seen: ByteCache<true>;

  constructor(private readonly bytes: number) {
    this.#entries = new ByteCache(bytes);
    this.#seen = new ByteCache(bytes);
  }

  /** `window` is the time window, if the result depends on one: it may move with the time of the request. */
  find<T extends Result>(
    { reader, shard, query }: CachedRequest,
    endpoint: string,
    window: Window | undefined,
    read: () => Awaitable<T>,
  ): Awaitable<T> {
    const { local } = reader;
    if (!local || this.bytes === 0) return read();
    const state = local.state();
    const key = `${endpoint} ${shard} ${query}`;
    const entry = this.#entries.get(key);
    if (entry && entry.state === state && isCurrent(entry, window, local)) {
      return entry.result as T;
    }
    return after(read(), (found) => {
      const { size } = found.content;
      if (!this.#seen.get(key)) {
        this.#seen.set(key, true, size);
        return found;
      }
      const result = { ...found, content: hotContent(found.content) };
      // The shard may have changed meanwhile.
      if (local.state() === state) {
        this.#entries.set(key, { result, state, window, changes: undefined }, size);
      }
      return result;
    });
  }

  /** For results that cost more than a page: without a local state, one is used for a second. `now` is in milliseconds. */
  findCostly<T extends Result>(
    request: CachedRequest,
    endpoint: string,
    now: number,
    read: () => Awaitable<T>,
  ): Awaitable<T> {
    if (request.reader.local || this.bytes === 0)
      return this.find(request, endpoint, undefined, read);
    const key = `${endpoint} ${request.shard} ${request.query}`;
    const recent = this.#recent.get(key);
    const age = now - (recent?.time ?? Number.NEGATIVE_INFINITY);
    if (recent && age >= 0 && age < RECENT_MS) return recent.result as Awaitable<T>;
    this.#recent.delete(key);
    if (this.#recent.size >= MAX_RECENT) this.#recent.delete(this.#recent.keys().next().value!);
    const entry: Recent = { time: now, result: this.#kept(key, read) };
    this.#recent.set(key, entry);
    return entry.result as Awaitable<T>;
  }

  /** Requests at the same time share one read. A failed one is not kept. */
  async #kept<T extends Result>(key: string, read: () => Awaitable<T>): Promise<T> {
    try {
      const found = await read();
      return { ...found, content: hotContent(found.content) };
    } catch (error) {
      this.#recent.delete(key);
      throw error;
    }
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
