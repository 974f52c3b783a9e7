/**
 * Hooks that load data and track its state. What they loaded is remembered: Back shows a page as it was, and without a
 * network a page that was seen before is shown again.
 */

import { useEffect, useRef } from "react";
import { type CallOptions, type Matchbook, MatchbookError } from "../../../client/src/index.ts";
import { noteOutdated, onRetry, useOnline } from "../network.ts";
import { isTemporary } from "../retry.ts";
import { isReturning } from "../router.ts";
import { useSession } from "../session.ts";
import { createStore, useStore } from "../store.ts";

interface Known<T> {
  state: "loading" | "ready" | "failed";
  value: T | undefined;
  /** When the value was loaded, in milliseconds. */
  at: number | undefined;
  /** Why the value is missing. If the state is ready: why it could not be loaded again. */
  error: unknown;
  /** The last value of another key, until there is one of this key. */
  before: T | undefined;
}

export interface Load<T> extends Known<T> {
  /** Loads again; the value stays meanwhile. */
  retry(): void;
}

/**
 * Loads a value. The key names what is loaded, with all that it depends on: a value of another key is never returned.
 * Without a key, nothing is remembered.
 */
export function useLoad<T>(
  key: string | undefined,
  load: (matchbook: Matchbook, signal: AbortSignal) => Promise<T>,
): Load<T> {
  const loading = useLoading<T>(key, async ({ matchbook, signal, show }) =>
    show(await load(matchbook, signal)),
  );
  return { ...useStore(loading.store), retry: loading.retry };
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

export interface Pages<T, Page = unknown> extends Omit<Load<unknown>, "value" | "before"> {
  items: readonly T[];
  wanted: number;
  first: Page | undefined;
  hasMore: boolean;
  /** Whether the first items are still loading. */
  isStarting: boolean;
  more(): void;
  /** Adds what is new at the beginning. Resolves to whether the first page has changed. */
  refresh(): Promise<boolean>;
  /** Removes an item, also from a page that is on its way. */
  remove(id: string): void;
}

interface PagesOptions<Item, T, Page> {
  /** How many items to load at first, and how many more each time. */
  step: number;
  pageSize: number;
  pageAt(matchbook: Matchbook, offset: number, signal: AbortSignal): Promise<Page>;
  /** Undefined leaves the item out. */
  read(item: Item): T | undefined;
}

/** Loads a list page by page. If a page fails, the others stay, and the next attempt continues with that page. */
export function usePages<Item, T extends { id: string }, Page extends PageOf<Item>>(
  key: string,
  { step, pageSize, pageAt, read }: PagesOptions<Item, T, Page>,
): Pages<T, Page> {
  const removed = useRef(new Set<string>());
  const itemsOf = (page: Page): T[] =>
    page.items.flatMap((item) => {
      const one = read(item);
      return one === undefined || removed.current.has(one.id) ? [] : [one];
    });
  const fill =
    (wanted: number): Task<List<T, Page>> =>
    async ({ matchbook, signal, show, known }) => {
      const start = known();
      if (start) show({ ...start, wanted });
      // The pages of the first step are requested at once: their links would lead to them one by one.
      const ahead: Promise<Page>[] = [];
      for (let offset = 0; !start && offset < wanted; offset += pageSize)
        ahead.push(pageAt(matchbook, offset, signal));
      // Thrown below when its turn comes, unless the list has ended before.
      for (const page of ahead) page.catch(() => undefined);
      for (;;) {
        const list = known();
        if (list && (!list.last.next || list.items.length >= wanted)) return;
        const page = await (ahead.shift() ?? (list!.last.next!({ signal }) as Promise<Page>));
        const { items = [], first = page } = known() ?? {};
        show({ items: joined(items, itemsOf(page)), wanted, first, last: page });
      }
    };
  const loading = useLoading(key, fill(step));
  const { value, ...known } = useStore(loading.store);
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
      const page = await pageAt(loading.matchbook, 0, loading.lifetime);
      const list = loading.store.get().value;
      if (list) {
        const newest = itemsOf(page);
        const isKnown = ({ id }: T) => newest.some((one) => one.id === id);
        // Without an item of both, some between them are missing.
        const isJoined = !page.next || list.items.some(isKnown);
        loading.show({
          ...list,
          items: isJoined ? joined(newest, list.items) : newest,
          first: page,
          ...(!isJoined && { last: page }),
        });
      } else loading.retry();
      return list?.first.document !== page.document;
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

type Task<T> = (run: {
  matchbook: Matchbook;
  signal: AbortSignal;
  known(): T | undefined;
  show(value: T): void;
}) => Promise<void>;

type Loading<T> = ReturnType<typeof createLoading<T>>;

/** Runs the task for each new key, and stops it with the component. */
function useLoading<T>(key: string | undefined, task: Task<T>): Loading<T> {
  const { matchbook } = useSession();
  const last = useRef<Loading<T>>(undefined);
  if (last.current?.key !== key || last.current?.matchbook !== matchbook) {
    const { value, before } = last.current?.store.get() ?? {};
    last.current = createLoading(key, matchbook, task, value ?? before);
  }
  const loading = last.current;
  const { state, error, at } = useStore(loading.store);
  const isOnline = useOnline();
  const isOutdated = state !== "failed" && (!isOnline || isUnreachable(error));
  useEffect(() => {
    if (loading.store.get().state === "loading") loading.retry();
    return loading.stop;
  }, [loading]);
  useEffect(() => (isTemporary(error) ? onRetry(loading.retry) : undefined), [error, loading]);
  useEffect(() => (isOutdated && at ? noteOutdated(at) : undefined), [isOutdated, at]);
  return loading;
}

/** What is known of one key, and the task that loads it. */
function createLoading<T>(
  key: string | undefined,
  matchbook: Matchbook,
  first: Task<T>,
  before: T | undefined,
) {
  const memory = memoryOf(matchbook);
  const remembered = () =>
    key === undefined ? undefined : (memory.get(key) as Remembered<T> | undefined);
  const kept = isReturning() ? remembered() : undefined;
  const found = kept && Date.now() - kept.at < MAX_AGE_MS ? kept : undefined;
  const store = createStore<Known<T>>({
    state: found ? "ready" : "loading",
    value: found?.value,
    at: found?.at,
    error: undefined,
    before,
  });
  const lifetime = new AbortController();
  let running = new AbortController();
  let latest = first;

  const change = (changes: Partial<Known<T>>) => store.set({ ...store.get(), ...changes });
  const show = (value: T) => {
    if (lifetime.signal.aborted) return;
    const at = Date.now();
    change({ value, at, before: undefined });
    if (key === undefined) return;
    memory.delete(key);
    memory.set(key, { value, at });
    if (memory.size > MAX_REMEMBERED) memory.delete(memory.keys().next().value!);
  };
  /** Replaces the task that is running. */
  const run = async (task: Task<T>) => {
    running.abort();
    running = new AbortController();
    latest = task;
    const { signal } = running;
    let hasShown = false;
    change({ state: "loading" });
    try {
      await task({
        matchbook,
        signal,
        known: () => store.get().value,
        show(value) {
          signal.throwIfAborted();
          hasShown = true;
          show(value);
        },
      });
      if (!signal.aborted) change({ state: "ready", error: undefined });
    } catch (error) {
      if (signal.aborted) return;
      const old = store.get().value === undefined ? remembered() : store.get();
      if (!isUnreachable(error) || hasShown || !old) change({ state: "failed", error });
      else change({ state: "ready", error, value: old.value, at: old.at });
    }
  };
  /** The lifetime ends when nobody needs the value any more. */
  return {
    key,
    matchbook,
    store,
    show,
    run,
    retry: () => void run(latest),
    stop() {
      running.abort();
      lifetime.abort();
    },
    lifetime: lifetime.signal,
  };
}

const isUnreachable = (error: unknown): boolean =>
  error instanceof MatchbookError && error.kind === "network";

/** How many values are remembered. */
const MAX_REMEMBERED = 60;
/** Older ones are loaded again on Back. */
const MAX_AGE_MS = 10 * 60_000;

interface Remembered<T> {
  value: T;
  at: number;
}

/** By client, since another key may see other records. */
const memories = new WeakMap<Matchbook, Map<string, Remembered<unknown>>>();

function memoryOf(matchbook: Matchbook): Map<string, Remembered<unknown>> {
  const memory = memories.get(matchbook) ?? new Map();
  memories.set(matchbook, memory);
  return memory;
}
