/** Suggestions for a text that is being typed: requested after a pause, and never for an older text. */

import { useCallback, useEffect, useState } from "react";
import { useSession } from "../session.ts";
import { type Found, findPlayers } from "./find.ts";

/** Fast typing sends no request per letter. */
const PAUSE_MS = 150;

export interface Suggestions {
  /** The latest result; it may be of an older text while loading. */
  found: Found | undefined;
  isLoading: boolean;
  error: unknown;
  /** Searches again. */
  retry(): void;
}

const NOTHING: Omit<Suggestions, "retry"> = {
  found: undefined,
  isLoading: false,
  error: undefined,
};

export function useSuggestions(text: string, regions: readonly string[]): Suggestions {
  const { matchbook, access } = useSession();
  // An equal list is the same one.
  const joined = regions.join(" ");
  const [known, setKnown] = useState(NOTHING);
  const [round, setRound] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another round searches again.
  useEffect(() => {
    if (text === "" || access === "none" || joined === "") return setKnown(NOTHING);
    const control = new AbortController();
    setKnown(({ found }) => ({ found, isLoading: true, error: undefined }));
    const timer = setTimeout(() => {
      findPlayers(matchbook, joined.split(" "), text, control.signal).then(
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
  }, [text, matchbook, joined, access, round]);
  const retry = useCallback(() => setRound((count) => count + 1), []);
  return { ...known, retry };
}
