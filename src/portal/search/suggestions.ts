/** Suggestions for a text that is being typed: what is known at once, the rest after a pause, never for an older text. */

import { useEffect, useState } from "react";

/** Fast typing sends no request per letter. */
const PAUSE_MS = 150;

export interface Source<Found> {
  /** What the text finds without a request; undefined if it takes one. */
  known(text: string): Found | undefined;
  /** Makes it known. */
  fetch(text: string, signal: AbortSignal): Promise<Found>;
}

/** The same source, with another form of what it finds. */
export const mapped = <From, To>(
  { known, fetch }: Source<From>,
  read: (found: From) => To,
): Source<To> => ({
  known(text) {
    const found = known(text);
    return found === undefined ? undefined : read(found);
  },
  fetch: async (text, signal) => read(await fetch(text, signal)),
});

export interface Suggestions<Found> {
  /** The latest result; of an older text while `isLoading`. */
  found: Found | undefined;
  isLoading: boolean;
  error: unknown;
  /** Searches again after a failure. */
  retry(): void;
}

/** Without a source, there are none. */
export function useSuggestions<Found>(
  text: string,
  source: Source<Found> | undefined,
): Suggestions<Found> {
  const [latest, setLatest] = useState<{ text: string; found?: Found; error?: unknown }>();
  const [round, setRound] = useState(0);
  const known = source?.known(text);
  const isKnown = known !== undefined;
  // biome-ignore lint/correctness/useExhaustiveDependencies: another round searches again.
  useEffect(() => {
    if (!source) return setLatest(undefined);
    if (isKnown) return setLatest({ text, found: known });
    const control = new AbortController();
    setLatest((before) => before && { ...before, error: undefined });
    const timer = setTimeout(() => {
      source.fetch(text, control.signal).then(
        (found) => !control.signal.aborted && setLatest({ text, found }),
        (error: unknown) => !control.signal.aborted && setLatest({ text, error }),
      );
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      control.abort();
    };
  }, [text, source, isKnown, round]);
  const isLatest = latest?.text === text;
  return {
    found: known ?? latest?.found,
    isLoading: source !== undefined && !isKnown && !isLatest,
    error: isLatest ? latest.error : undefined,
    retry: () => {
      setLatest(undefined);
      setRound(round + 1);
    },
  };
}
