/** What the visitor has to know about the network: waits for the rate limit, and older data that is shown meanwhile. */

import { useSyncExternalStore } from "react";
import { createStore } from "./store.ts";

export interface Wait {
  /** When the first of the waiting requests was refused, and when the last one is repeated; in milliseconds. */
  since: number;
  until: number;
}

/** When each waiting request is repeated, by its URL. */
const waits = new Map<string, number>();
export const waiting = createStore<Wait | undefined>(undefined);
let since = 0;
let lastEnd = 0;

/** Without a time, the request does not wait any more. */
export function noteWait(url: string, until?: number): void {
  // A request that is refused again goes on waiting.
  if (waits.size === 0 && Date.now() - lastEnd > 1000) since = Date.now();
  if (until !== undefined) waits.set(url, until);
  else if (waits.delete(url)) lastEnd = Date.now();
  waiting.set(waits.size === 0 ? undefined : { since, until: Math.max(...waits.values()) });
}

/** The times of what is shown although the server did not respond. */
const outdated = new Set<{ at: number }>();
/** The earliest of them. */
export const shownAsOf = createStore<number | undefined>(undefined);

/** Returns the function that takes the note back. */
export function noteOutdated(at: number): () => void {
  const note = { at };
  const update = () =>
    shownAsOf.set(
      outdated.size === 0 ? undefined : Math.min(...[...outdated].map((one) => one.at)),
    );
  outdated.add(note);
  update();
  return () => {
    outdated.delete(note);
    update();
  };
}

/** Loads again what failed: called by the browser when the network is back, and by the visitor. */
export const retryAll = (): boolean => dispatchEvent(new Event("online"));

export function onRetry(listener: () => void): () => void {
  addEventListener("online", listener);
  return () => removeEventListener("online", listener);
}

/** Whether the browser has a network. */
export const useOnline = (): boolean => useSyncExternalStore(subscribe, () => navigator.onLine);

function subscribe(listener: () => void): () => void {
  addEventListener("offline", listener);
  const stop = onRetry(listener);
  return () => {
    removeEventListener("offline", listener);
    stop();
  };
}
