/** The newest matches of a region, kept up to date by its change feed while the page is visible. */

import { useEffect, useState, useSyncExternalStore } from "react";
import type { Matchbook } from "../../../../client/src/index.ts";
import type { Region } from "../../page-data.ts";
import { isTemporary, pauseAfter } from "../../retry.ts";
import { useSession } from "../../session.ts";
import { recordOf } from "../match/read.ts";
import type { MatchRecord } from "../match/record.ts";

export const MAX_MATCHES = 10;
/** The most that the API returns at once. */
const PAGE = 5;
/** At most one request per pause, however many matches end. */
const PAUSE_MS = 2000;
/** Without a filter, the API returns matches of the last four weeks. */
const WINDOW_MS = 27 * 86_400_000;

/** What a row shows, since whole matches are ten times larger. */
const FIELDS = {
  match: ["createdAt", "duration", "gameMode", "rosters"],
  roster: ["won", "stats", "participants"],
  participant: ["actor", "player"],
  player: ["name"],
};

export interface Feed {
  /** The newest first; undefined until loaded. */
  matches: readonly MatchRecord[] | undefined;
  /** Every match that ends from now on appears: the stream is open, and the list is up to date. */
  isLive: boolean;
  error: unknown;
}

const NOTHING: Feed = { matches: undefined, isLive: false, error: undefined };

export function useFeed(region: Region): Feed & { retry(): void } {
  const { matchbook } = useSession();
  const [feed, setFeed] = useState(NOTHING);
  const [round, setRound] = useState(0);
  // A stream holds one of the few connections that a browser opens to a server, so hidden tabs have none.
  const isVisible = useSyncExternalStore(subscribeToVisibility, () => !document.hidden);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another round loads again.
  useEffect(() => {
    if (!isVisible) return;
    const control = new AbortController();
    const { signal } = control;
    const show = (changes: Partial<Feed>) => {
      if (!signal.aborted) setFeed((now) => ({ ...now, error: undefined, ...changes }));
    };
    follow(matchbook, region, signal, show).catch((error: unknown) =>
      show({ isLive: false, error }),
    );
    return () => {
      control.abort();
      setFeed((now) => ({ ...now, isLive: false }));
    };
  }, [matchbook, region, isVisible, round]);
  return { ...feed, retry: () => setRound((count) => count + 1) };
}

async function follow(
  matchbook: Matchbook,
  region: Region,
  signal: AbortSignal,
  show: (changes: Partial<Feed>) => void,
): Promise<void> {
  const shard = matchbook.shard(region.id);
  // Before the list, so that no match is missed between the two.
  const after = await endOfFeed(matchbook, region.id, signal);
  let matches = await newestOf(matchbook, region, MAX_MATCHES, signal);
  /** A list that is on its way may still have them. */
  const removed = new Set<string>();
  const state = { isOpen: false, isUpToDate: true };
  const update = (changes: Partial<typeof state> = {}) => {
    Object.assign(state, changes);
    show({ matches, isLive: state.isOpen && state.isUpToDate });
  };
  update();

  const refresh = paced(signal, async () => {
    try {
      const newest = await newestOf(matchbook, region, PAGE, signal);
      matches = merged(
        newest.filter(({ id }) => !removed.has(id)),
        matches,
      );
      update({ isUpToDate: true });
    } catch (error) {
      update({ isUpToDate: false });
      throw error;
    }
  });
  const changes = shard.changes({
    after,
    signal,
    onOpen: () => update({ isOpen: true }),
    onReconnect: () => update({ isOpen: false }),
  });
  for await (const { kind, match } of changes) {
    if (kind === "removed") {
      removed.add(match.id);
      matches = matches.filter(({ id }) => id !== match.id);
      update();
    } else {
      removed.delete(match.id);
      refresh();
    }
  }
}

/** The cursor after the newest change. */
async function endOfFeed(matchbook: Matchbook, shard: string, signal: AbortSignal) {
  const path = `/shards/${encodeURIComponent(shard)}/changes`;
  const { document } = await matchbook.get<{ links: { next: string } }>(path, { signal });
  return new URL(document.links.next).searchParams.get("page[after]") ?? undefined;
}

async function newestOf(
  matchbook: Matchbook,
  { id, newestMatch }: Region,
  count: number,
  signal: AbortSignal,
): Promise<MatchRecord[]> {
  // A region may have been quiet for longer than the window of the API.
  const newest = newestMatch ? Date.parse(newestMatch) : Date.now();
  const start = new Date(newest - WINDOW_MS).toISOString();
  const isOld = newest < Date.now() - WINDOW_MS;
  const found: MatchRecord[] = [];
  const pages = matchbook
    .shard(id)
    .matches({
      sort: "-createdAt",
      limit: PAGE,
      fields: FIELDS,
      createdAtStart: isOld ? start : undefined,
      signal,
    })
    .pages();
  for await (const { items } of pages) {
    found.push(...items.map(recordOf));
    if (found.length >= count) break;
  }
  return found;
}

/** The newest of both, each match once. */
function merged(newest: readonly MatchRecord[], known: readonly MatchRecord[]): MatchRecord[] {
  const ids = new Set(newest.map(({ id }) => id));
  return [...newest, ...known.filter(({ id }) => !ids.has(id))]
    .toSorted((one, other) => Date.parse(other.createdAt) - Date.parse(one.createdAt))
    .slice(0, MAX_MATCHES);
}

/**
 * Runs the task at most once per pause, and again if it was called meanwhile. A failure that may pass is repeated;
 * after another one, the next call tries again.
 */
function paced(signal: AbortSignal, task: () => Promise<void>): () => void {
  let isRunning = false;
  let isWanted = false;
  const run = async () => {
    isRunning = true;
    let failures = 0;
    while (isWanted && !signal.aborted) {
      isWanted = false;
      let pause = PAUSE_MS;
      try {
        await task();
        failures = 0;
      } catch (error) {
        isWanted ||= isTemporary(error);
        pause = pauseAfter(error, failures);
        failures += 1;
      }
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
    isRunning = false;
  };
  return () => {
    isWanted = true;
    if (!isRunning) void run();
  };
}

function subscribeToVisibility(listener: () => void): () => void {
  document.addEventListener("visibilitychange", listener);
  return () => document.removeEventListener("visibilitychange", listener);
}
