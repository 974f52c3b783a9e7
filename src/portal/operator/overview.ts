/** Fetches the overview of the admin listener, again and again while the page is visible. */

import { useEffect, useState } from "react";

export type Counts = Record<string, number>;

interface Percentiles {
  p50: number;
  p95: number;
  p99: number;
}

export interface ShardOverview {
  id: string;
  available: boolean;
  matches: number | null;
  added: number | null;
  players: number | null;
  newestMatch: string | null;
  withheld: Counts | null;
  requests: Counts;
  milliseconds: Percentiles | null;
}

export interface KeyOverview {
  id: string;
  name: string | null;
  state: string | null;
  tier: string | null;
  requestsToday: number;
  errorsToday: number;
  matchesToday: number;
  matchesPerDay: number | null;
  lastSeen: string | null;
}

export interface Overview {
  startedAt: string;
  now: string;
  requests: number;
  milliseconds: Percentiles | null;
  errors: Counts;
  limits: Counts;
  uploads: Counts;
  shards: ShardOverview[];
  keys: KeyOverview[];
  keyCount: number;
}

export interface Loaded {
  overview: Overview;
  /** The one before, for rates. */
  before: Overview | undefined;
}

export interface Watched {
  loaded: Loaded | undefined;
  /** Why the last attempt failed. */
  problem: string | undefined;
  /** The token was refused. */
  isRefused: boolean;
}

const REFRESH_MS = 5000;

export function useOverview(token: string): Watched {
  const [watched, setWatched] = useState<Watched>({
    loaded: undefined,
    problem: undefined,
    isRefused: false,
  });
  useEffect(() => {
    const stopping = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const refresh = async () => {
      clearTimeout(timer);
      const outcome = await fetchOverview(token, stopping.signal);
      if (stopping.signal.aborted) return;
      setWatched(({ loaded }) =>
        "overview" in outcome
          ? {
              loaded: { overview: outcome.overview, before: loaded?.overview },
              problem: undefined,
              isRefused: false,
            }
          : { loaded, ...outcome },
      );
      if (!("isRefused" in outcome && outcome.isRefused) && !document.hidden) {
        timer = setTimeout(refresh, REFRESH_MS);
      }
    };
    const onVisibility = () => {
      clearTimeout(timer);
      if (!document.hidden) void refresh();
    };
    document.addEventListener("visibilitychange", onVisibility);
    void refresh();
    return () => {
      stopping.abort();
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", onVisibility);
    };
  }, [token]);
  return watched;
}

type Outcome = { overview: Overview } | { problem: string; isRefused: boolean };

async function fetchOverview(token: string, signal: AbortSignal): Promise<Outcome> {
  try {
    const headers = { Authorization: `Bearer ${token}` };
    const response = await fetch("/overview", { headers, signal, cache: "no-store" });
    const body = await response.json();
    if (response.ok) return { overview: body };
    return { problem: body.error.message, isRefused: [401, 429].includes(response.status) };
  } catch {
    return { problem: "The server is unreachable.", isRefused: false };
  }
}

/** Per second since the previous refresh, or since the start. */
export function rate({ overview, before }: Loaded, count: (from: Overview) => number): number {
  const from = before ? Date.parse(before.now) : Date.parse(overview.startedAt);
  const seconds = Math.max(1, (Date.parse(overview.now) - from) / 1000);
  // A restarted server counts from 0 again.
  return Math.max(0, count(overview) - (before ? count(before) : 0)) / seconds;
}
