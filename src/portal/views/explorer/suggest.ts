/** In charge of suggestions for what is being typed: asked after a pause, the latest query only. */

import { useEffect, useState } from "react";

/** Gives texts near to what was typed. */
export type Suggest = (typed: string, signal: AbortSignal) => Promise<readonly string[]>;

/** A pause in the typing, so that not every letter costs a request. */
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
        // Help that fails is no failure of the page: the name can be typed without it.
        () => !control.signal.aborted && setFound(NONE),
      );
    }, PAUSE);
    return () => {
      clearTimeout(timer);
      control.abort();
    };
  }, [typed, suggest]);
  // Old suggestions stay while letters are added, so that the list does not flicker.
  return typed.trim().length < SHORTEST ? NONE : found;
}
