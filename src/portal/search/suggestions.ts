/** Suggestions for a text that is being typed: requested after a pause, and never for an older text. */

import { useEffect, useState } from "react";
import { useRegions } from "../regions.ts";
import { useSession } from "../session.ts";
import { type Found, findPlayers } from "./find.ts";

/** Fast typing sends no request per letter. */
const PAUSE_MS = 150;

export interface Suggestions {
  /** The latest result; it may be of an older text while loading. */
  found: Found | undefined;
  isLoading: boolean;
  error: unknown;
}

const NOTHING: Suggestions = { found: undefined, isLoading: false, error: undefined };

export function useSuggestions(text: string): Suggestions {
  const { matchbook, access } = useSession();
  const { regions } = useRegions();
  const [known, setKnown] = useState(NOTHING);
  useEffect(() => {
    if (text === "" || access === "none" || regions.length === 0) return setKnown(NOTHING);
    const control = new AbortController();
    setKnown(({ found }) => ({ found, isLoading: true, error: undefined }));
    const ids = regions.map(({ id }) => id);
    const timer = setTimeout(() => {
      findPlayers(matchbook, ids, text, control.signal).then(
        (found) => setKnown({ found, isLoading: false, error: undefined }),
        (error: unknown) => {
          if (!control.signal.aborted) setKnown({ found: undefined, isLoading: false, error });
        },
      );
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      control.abort();
    };
  }, [text, matchbook, regions, access]);
  return known;
}
