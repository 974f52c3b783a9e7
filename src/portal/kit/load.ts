/**
 * Hooks that load data and track its state. What they loaded is remembered: Back shows a page as it was, and without a
 * network a page that was seen before is shown again.
 */

import { useEffect, useRef } from "react";
import { type CallOptions, type Matchbook, MatchbookError } from "../../../client/src/index.ts";
import { noteOutdated, onRetry } from "../network.ts";
import { isTemporary } from "../retry.ts";
import { isReturning } from "../router.ts";
import { useSession } from "../session.ts";
import { createStore, type Store, useStore } from "../store.ts";

type Known<T> = {
  /** When the value was loaded, in milliseconds. */
  at: number | undefined;
  /** Why the value is missing, or could not be loaded again. */
  error: unknown;
  /** The last value of another key, until there is one of this key. */
  before: T | undefined;
  /** The server was unreachable, so that an older value is shown. */
  isOutdated: boolean;
} & (
  | { state: "loading"; value: T | undefined }
  | { state: "ready"; value: T }
  | { state: "failed"; value: T | undefined }
);

export type Load<T> = Known<T> & {
  /** Loads again; the value stays meanwhile. */
  retry(): void;
};

/**
 * Loads a value. The key names what is loaded, with all that it depends on: a value of another key is never returned.
 * Without a key, nothing is remembered.
 */
export function useLoad<T>(
  key: string | undefined,
  load: (matchbook: Matchbook, signal: AbortSignal) => Promise<T>,
): Load<T> {
  const [loading, known] = useLoading<T>(key, async ({ matchbook, signal, show }) =>
    show(await load(matchbook, signal)),
  );
  return { ...known, retry: loading.retry };
}

/** A page of the client. */
interface PageOf<Item> {
  readonly items: readonly Item[];
  readonly document: unknown;
  readonly next: ((options?: CallOptions) => Promise<PageOf<Item>>) | undefined;
}

interface List<T, Page> {
  items: readonly T[];
  /** How many were asked for. */
  wanted: number;
  /** The first page, and the one that was loaded last. */
  first: Page;
  last: Page;
}

export interface Pages<T, Page = unknown> extends Omit<Known<unknown>, "value" | "before"> {
  items: readonly T[];
  wanted: number;
  first: Page | undefined;
  hasMore: boolean;
  /** Whether the first items are still loading. */
  isStarting: boolean;
  more(): void;
  retry(): void;
  /** Adds what is new at the beginning. Resolves to whether the first page has changed. */
  refresh(): Promise<boolean>;
  /** Removes an item, also from a page that is on its way. */
  remove(id: string): void;
}

interface PagesOptions<Item, T, Page> {
  /** How many items to load at first, and how many more each time. */
  step: number;
  first(matchbook: Matchbook, signal: AbortSignal): Promise<Page>;
  /** Undefined leaves the item out. */
  read(item: Item): T | undefined;
}

/** Loads a list page by page. If a page fails, the others stay, and the next attempt continues with that page. */
export function usePages<Item, T extends { id: string }, Page extends PageOf<Item>>(
  key: string,
  { step, first, read }: PagesOptions<Item, T, Page>,
): Pages<T, Page> {
  type Task = Parameters<Loading<List<T, Page>>["run"]>[0];
  const removed = useRef(new Set<string>());
  const itemsOf = (page: Page): T[] =>
    page.items.map(read).filter((one) => one !== undefined && !removed.current.has(one.id)) as T[];
  const fill =
    (wanted: number): Task =>
    async ({ matchbook, signal, show, known }) => {
      const now = known();
      if (now) show({ ...now, wanted });
      for (;;) {
        const list = known();
        if (list && (!list.last.next || list.items.length >= wanted)) return;
        const page = await (list
          ? (list.last.next!({ signal }) as Promise<Page>)
          : first(matchbook, signal));
        const { items = [], first: start = page } = known() ?? {};
        show({ items: joined(items, itemsOf(page)), wanted, first: start, last: page });
      }
    };
  const [loading, { value, ...known }] = useLoading(key, fill(step));
  const { items = [], wanted = step } = value ?? {};
  return {
    ...known,
    items,
    wanted,
    first: value?.first,
    hasMore: value?.last.next !== undefined,
    isStarting: known.state === "loading" && items.length < step,
    more: () => loading.run(fill(items.length + step)),
    retry: loading.retry,
    async refresh() {
      if (!loading.store.get().value) {
        loading.retry();
        return true;
      }
      const page = await first(loading.matchbook, loading.lifetime);
      const list = loading.store.get().value!;
      const newest = itemsOf(page);
      // Without a match of both, some between them are missing.
      const isJoined =
        !page.next || list.items.some(({ id }) => newest.some((one) => one.id === id));
      loading.show(
        isJoined
          ? { ...list, items: joined(newest, list.items), first: page }
          : { ...list, items: newest, first: page, last: page },
      );
      return page.document !== list.first.document;
    },
    remove(id) {
      removed.current.add(id);
      const list = loading.store.get().value;
      if (list) loading.show({ ...list, items: list.items.filter((one) => one.id !== id) });
    },
  };
}

/** Each item once, where it is first. */
function joined<T extends { id: string }>(items: readonly T[], more: readonly T[]): T[] {
  const ids = new Set(items.map(({ id }) => id));
  return [...items, ...more.filter(({ id }) => !ids.has(id))];
}

interface Run<T> {
  matchbook: Matchbook;
  signal: AbortSignal;
  /** The latest value. */
  known(): T | undefined;
  show(value: T): void;
}

function useLoading<T>(
  key: string | undefined,
  first: (run: Run<T>) => Promise<void>,
): [Loading<T>, Known<T>] {
  const { matchbook } = useSession();
  const last = useRef<Loading<T>>(undefined);
  if (last.current?.key !== key || last.current?.matchbook !== matchbook) {
    const { value, before } = last.current?.store.get() ?? {};
    last.current = new Loading(key, matchbook, first, value ?? before);
  }
  const loading = last.current;
  const known = useStore(loading.store);
  useEffect(() => {
    loading.start();
    return loading.stop;
  }, [loading]);
  const { error, isOutdated, at } = known;
  useEffect(() => (isTemporary(error) ? onRetry(loading.retry) : undefined), [error, loading]);
  useEffect(() => (isOutdated && at ? noteOutdated(at) : undefined), [isOutdated, at]);
  return [loading, known];
}

/** What is known of one key, and the task that loads it. */
class Loading<T> {
  readonly key: string | undefined;
  readonly matchbook: Matchbook;
  readonly store: Store<Known<T>>;
  readonly #ended = new AbortController();
  #running = new AbortController();
  #task: (run: Run<T>) => Promise<void>;

  constructor(
    key: string | undefined,
    matchbook: Matchbook,
    first: (run: Run<T>) => Promise<void>,
    before: T | undefined,
  ) {
    this.key = key;
    this.matchbook = matchbook;
    this.#task = first;
    const found = isReturning() ? this.#remembered() : undefined;
    const shared = { error: undefined, isOutdated: false };
    this.store = createStore<Known<T>>(
      found && Date.now() - found.at < MAX_AGE_MS
        ? { ...shared, ...found, state: "ready", before: undefined }
        : { ...shared, value: undefined, at: undefined, state: "loading", before },
    );
  }

  /** Ends when nobody needs the value any more. */
  get lifetime(): AbortSignal {
    return this.#ended.signal;
  }

  start(): void {
    if (this.store.get().state === "loading") this.run(this.#task);
  }

  readonly stop = (): void => {
    this.#running.abort();
    this.#ended.abort();
  };

  /** The latest task again. */
  readonly retry = (): void => this.run(this.#task);

  /** Replaces the task that is running. */
  run(task: (run: Run<T>) => Promise<void>): void {
    this.#running.abort();
    this.#running = new AbortController();
    this.#task = task;
    const { signal } = this.#running;
    let hasShown = false;
    const change = (changes: Partial<Known<T>>) => {
      if (!signal.aborted) this.#change(changes);
    };
    change({ state: "loading" });
    task({
      matchbook: this.matchbook,
      signal,
      known: () => this.store.get().value,
      show: (value) => {
        signal.throwIfAborted();
        hasShown = true;
        this.show(value);
      },
    }).then(
      () => change({ state: "ready", error: undefined, isOutdated: false }),
      (error: unknown) => {
        const isUnreachable = error instanceof MatchbookError && error.kind === "network";
        const shown = this.store.get();
        const old = shown.value === undefined ? this.#remembered() : shown;
        if (isUnreachable && !hasShown && old?.value !== undefined) {
          change({ state: "ready", error, value: old.value, at: old.at, isOutdated: true });
        } else change({ state: "failed", error });
      },
    );
  }

  show(value: T): void {
    if (this.lifetime.aborted) return;
    const at = Date.now();
    this.#change({ value, at, before: undefined });
    if (this.key !== undefined) remember(this.matchbook, this.key, { value, at });
  }

  #change(changes: Partial<Known<T>>): void {
    this.store.set({ ...this.store.get(), ...changes } as Known<T>);
  }

  #remembered(): { value: T; at: number } | undefined {
    if (this.key === undefined) return undefined;
    return memories.get(this.matchbook)?.get(this.key) as { value: T; at: number } | undefined;
  }
}

/** How many values are remembered. */
const MAX_REMEMBERED = 60;
/** Older ones are loaded again on Back. */
const MAX_AGE_MS = 10 * 60_000;

/** By client, since another key may see other records. */
const memories = new WeakMap<Matchbook, Map<string, { value: unknown; at: number }>>();

function remember(matchbook: Matchbook, key: string, now: { value: unknown; at: number }): void {
  const memory = memories.get(matchbook) ?? new Map();
  memories.set(matchbook, memory);
  memory.delete(key);
  memory.set(key, now);
  if (memory.size > MAX_REMEMBERED) memory.delete(memory.keys().next().value);
}
