/**
 * In charge of walking back through a player's matches, page by page: so far as is wanted, and on
 * from there later. What was read stays when a page fails, and the walk goes on with that page.
 */

import type { Appearance } from "./appearance.ts";

/** Some matches, newest first, and the way to those before them. */
export interface Stretch {
  readonly appearances: readonly Appearance[];
  readonly next: Step | undefined;
}

export type Step = (signal: AbortSignal) => Promise<Stretch>;

export interface Walked {
  readonly appearances: readonly Appearance[];
  /** Undefined when everything has been read. */
  readonly next: Step | undefined;
}

/** Walks on until there are `wanted` matches or no more, and tells of every page as it comes. */
export async function walkOn(
  walked: Walked,
  wanted: number,
  signal: AbortSignal,
  onStretch: (walked: Walked) => void,
): Promise<void> {
  let sofar = walked;
  while (sofar.next && sofar.appearances.length < wanted) {
    const { appearances, next } = await sofar.next(signal);
    if (signal.aborted) return;
    sofar = { appearances: [...sofar.appearances, ...appearances], next };
    onStretch(sofar);
  }
}
