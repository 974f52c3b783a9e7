/** Suggestions for the typed text, fetched after a pause in typing. */

import { useEffect, useState } from "react";

/** Returns values similar to the typed text. */
export type Suggest = (typed: string, signal: AbortSignal) => Promise<readonly string[]>;

/** In milliseconds, so that not every letter costs a request. */
const PAUSE = 200;
const SHORTEST = 2;

const NONE: readonly string[] = [];

export function useSuggestions(typed: string, suggest: Suggest | undefined): readonly string[] {
  const [found, setFound] = useState(NONE);
  useEffect(() => {
    if (!suggest || typed.trim().length < SHORTEST) return setFound(NONE);
    const control = new AbortController();
    const timer = setTimeout(() => {
      suggest(typed, control.signal).then(
        (texts) => !control.signal.aborted && setFound(texts),
        // Ignored: the name can be typed without suggestions.
        () => !control.signal.aborted && setFound(NONE),
      );
    }, PAUSE);
    return () => {
      clearTimeout(timer);
      control.abort();
    };
  }, [typed, suggest]);
  // Old suggestions stay while typing, so that the list does not flicker.
  return typed.trim().length < SHORTEST ? NONE : found;
}
