/**
 * In charge of walking back through a player's matches, page by page: so far as is wanted, and on
 * from there later. What was read stays when a page fails, and the walk goes on with that page.
 */

import type { Appearance } from "./appearance.ts";

/** Some matches, newest first, and the way to those before them. */
export interface MatchPage {
  readonly appearances: readonly Appearance[];
  readonly next: Step | undefined;
}

export type Step = (signal: AbortSignal) => Promise<MatchPage>;

export interface LoadedMatches {
  readonly appearances: readonly Appearance[];
  /** Undefined when everything has been read. */
  readonly next: Step | undefined;
}

/** Walks on until there are `wanted` matches or no more, and tells of every page as it comes. */
export async function loadUntil(
  loaded: LoadedMatches,
  wanted: number,
  signal: AbortSignal,
  onPage: (loaded: LoadedMatches) => void,
): Promise<void> {
  let sofar = loaded;
  while (sofar.next && sofar.appearances.length < wanted) {
    const { appearances, next } = await sofar.next(signal);
    if (signal.aborted) return;
    sofar = { appearances: [...sofar.appearances, ...appearances], next };
    onPage(sofar);
  }
}
