/**
 * Loads a player's matches page by page, and can continue later. If a page fails, the matches loaded so far
 * are kept, and the next attempt continues with that page.
 */

import type { Appearance } from "./appearance.ts";

/** A page of matches, newest first, and a function that fetches the next page. */
export interface MatchPage {
  readonly appearances: readonly Appearance[];
  readonly next: FetchPage | undefined;
}

export type FetchPage = (signal: AbortSignal) => Promise<MatchPage>;

export interface LoadedMatches {
  readonly appearances: readonly Appearance[];
  /** Undefined if all matches are loaded. */
  readonly next: FetchPage | undefined;
}

/** Loads pages until there are `wanted` matches or no more, and reports the state after each page. */
export async function loadUntil(
  loaded: LoadedMatches,
  wanted: number,
  signal: AbortSignal,
  onPage: (loaded: LoadedMatches) => void,
): Promise<void> {
  let current = loaded;
  while (current.next && current.appearances.length < wanted) {
    const { appearances, next } = await current.next(signal);
    if (signal.aborted) return;
    // A match that was added meanwhile moves others to a later page.
    const known = new Set(current.appearances.map(({ matchId }) => matchId));
    const added = appearances.filter(({ matchId }) => known.size < known.add(matchId).size);
    current = { appearances: [...current.appearances, ...added], next };
    onPage(current);
  }
}
