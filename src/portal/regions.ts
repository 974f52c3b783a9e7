/** The regions of the server, the one with the newest match first. Fetched once, and shared by all pages. */

import { useCallback, useEffect, useSyncExternalStore } from "react";
import type { Matchbook } from "../../client/src/index.ts";
import { useSession } from "./session.ts";

export type Region = Awaited<ReturnType<Matchbook["status"]>>["shards"][number];

interface Known {
  state: "loading" | "ready" | "failed";
  regions: readonly Region[];
  error?: unknown;
}

export interface Regions extends Known {
  /** Fetches them again. */
  retry(): void;
}

let known: Known = { state: "loading", regions: [] };
let isFetched = false;
const listeners = new Set<() => void>();

export function useRegions(): Regions {
  const { matchbook } = useSession();
  const now = useSyncExternalStore(subscribe, () => known);
  useEffect(() => {
    if (!isFetched) fetchRegions(matchbook);
  }, [matchbook]);
  const retry = useCallback(() => fetchRegions(matchbook), [matchbook]);
  return { ...now, retry };
}

function fetchRegions(matchbook: Matchbook): void {
  isFetched = true;
  if (known.state === "failed") change({ state: "loading", regions: [] });
  matchbook.status().then(
    ({ shards }) => change({ state: "ready", regions: newestFirst(shards) }),
    (error: unknown) => change({ state: "failed", regions: [], error }),
  );
}

/** Regions without matches come last. */
const newestFirst = (regions: readonly Region[]): Region[] =>
  regions.toSorted((one, other) => timeOf(other) - timeOf(one) || one.id.localeCompare(other.id));

const timeOf = ({ newestMatch }: Region): number => (newestMatch ? Date.parse(newestMatch) : 0);

function change(now: Known): void {
  known = now;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
