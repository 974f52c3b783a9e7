/** The regions of the server, the one with the newest match first. Fetched until it works, and shared by all pages. */

import { useEffect } from "react";
import type { Matchbook } from "../../client/src/index.ts";
import { onRetry } from "./network.ts";
import { pageData, type Region } from "./page-data.ts";
import { pauseAfter } from "./retry.ts";
import { useSession } from "./session.ts";
import { createStore, useStore } from "./store.ts";

interface Known {
  state: "loading" | "ready" | "failed";
  regions: readonly Region[];
  error?: unknown;
}

const known = createStore<Known>(
  pageData.regions
    ? { state: "ready", regions: newestFirst(pageData.regions) }
    : { state: "loading", regions: [] },
);
let isFetching = false;
/** The client of the latest attempt. */
let fetchedWith: Matchbook | undefined;
/** In a row. */
let failures = 0;
let nextAttempt: ReturnType<typeof setTimeout> | undefined;

onRetry(() => {
  if (known.get().state === "failed" && fetchedWith) fetchRegions(fetchedWith);
});

/** `retry` fetches them again at once. */
export function useRegions(): Known & { retry(): void } {
  const { matchbook } = useSession();
  const now = useStore(known);
  useEffect(() => {
    if (known.get().state !== "ready" && matchbook !== fetchedWith) fetchRegions(matchbook);
  }, [matchbook]);
  const retry = () => {
    if (known.get().state === "failed") known.set({ state: "loading", regions: [] });
    fetchRegions(matchbook);
  };
  return { ...now, retry };
}

/** After a failure, again after a while: without regions there is no search and no navigation. */
function fetchRegions(matchbook: Matchbook): void {
  if (isFetching) return;
  isFetching = true;
  fetchedWith = matchbook;
  clearTimeout(nextAttempt);
  matchbook.status().then(
    ({ shards }) => {
      isFetching = false;
      failures = 0;
      known.set({ state: "ready", regions: newestFirst(shards) });
    },
    (error: unknown) => {
      isFetching = false;
      nextAttempt = setTimeout(fetchRegions, pauseAfter(error, failures), matchbook);
      failures += 1;
      known.set({ state: "failed", regions: [], error });
    },
  );
}

/** Regions without matches come last. */
function newestFirst(regions: readonly Region[]): Region[] {
  const timeOf = ({ newestMatch }: Region) => (newestMatch ? Date.parse(newestMatch) : 0);
  return regions.toSorted(
    (one, other) => timeOf(other) - timeOf(one) || one.id.localeCompare(other.id),
  );
}
