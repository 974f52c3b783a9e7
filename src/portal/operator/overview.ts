/** Fetches the overview of the admin listener, again and again while the page is visible. */

import { useEffect, useRef, useState } from "react";

export type Counts = Record<string, number>;

type Percentiles = Record<"p50" | "p95" | "p99", number>;

/** What a shard holds. */
export type Held = "matches" | "players";

export interface ShardOverview extends Record<Held, number | null> {
  id: string;
  available: boolean;
  newestMatch: string | null;
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
  /** Null for visitors, whose quota is that of each address. */
  matchesToday: number | null;
  matchesPerDay: number | null;
  lastSeen: string | null;
}

export interface Overview {
  startedAt: string;
  now: string;
  requests: number;
  milliseconds: Percentiles | null;
  /** One entry per minute, oldest first. */
  lastHour: { at: string; requests: number; errors: number; p95: number | null }[];
  errors: Counts;
  uploads: Counts;
  shards: ShardOverview[];
  keys: KeyOverview[];
  keyCount: number;
}

const REFRESH_MS = 5000;

/** Why a token is refused, by the status of the response. */
const REFUSALS: Readonly<Record<number, string>> = {
  401: "This is not the admin token of this server. Copy it again from the setting admin-token or its file.",
  429: "Too many wrong tokens were tried from your address. Wait a minute, then try again.",
};

/** `onRefused` is called with the reason when the token is not valid. */
export function useOverview(token: string, onRefused: (reason: string) => void) {
  /** `problem`: why the last attempt failed. */
  const [watched, setWatched] = useState<{ overview?: Overview; problem?: string }>({});
  const refuse = useRef(onRefused);
  refuse.current = onRefused;
  useEffect(() => {
    const stopping = new AbortController();
    const { signal } = stopping;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const refresh = async () => {
      clearTimeout(timer);
      if (document.hidden) return;
      const headers = { Authorization: `Bearer ${token}` };
      const response = await fetch("/overview", { headers, signal, cache: "no-store" }).catch(
        () => undefined,
      );
      const overview = response?.ok ? ((await response.json()) as Overview) : undefined;
      if (signal.aborted) return;
      const refusal = REFUSALS[response?.status ?? 0];
      if (refusal) return refuse.current(refusal);
      const problem = response
        ? `The server reports an error (${response.status}): see its log.`
        : "The server is unreachable.";
      setWatched((last) => (overview ? { overview } : { ...last, problem }));
      timer = setTimeout(refresh, REFRESH_MS);
    };
    document.addEventListener("visibilitychange", refresh);
    void refresh();
    return () => {
      stopping.abort();
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", refresh);
    };
  }, [token]);
  return watched;
}
