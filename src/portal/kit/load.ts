/** In charge of asking the service for something and of what is known of it meanwhile. */

import { useCallback, useEffect, useRef, useState } from "react";

type Known<T> =
  | { state: "loading"; value: T | undefined }
  | { state: "ready"; value: T }
  | { state: "failed"; error: unknown; value: T | undefined };

export type Load<T> = Known<T> & {
  /** Asks once more. */
  retry(): void;
};

/** Runs `ask` when `inputs` change, gives up the one before, keeps the old value while loading. */
export function useLoad<T>(
  ask: (signal: AbortSignal) => Promise<T>,
  inputs: readonly unknown[],
): Load<T> {
  const [known, setKnown] = useState<Known<T>>({ state: "loading", value: undefined });
  const [round, setRound] = useState(0);
  const latest = useRef(ask);
  latest.current = ask;

  // biome-ignore lint/correctness/useExhaustiveDependencies: the caller says what it depends on.
  useEffect(() => {
    const control = new AbortController();
    setKnown(({ value }) => ({ state: "loading", value }));
    latest.current(control.signal).then(
      (value) => {
        if (!control.signal.aborted) setKnown({ state: "ready", value });
      },
      (error: unknown) => {
        if (!control.signal.aborted) setKnown(({ value }) => ({ state: "failed", error, value }));
      },
    );
    return () => control.abort();
  }, [...inputs, round]);

  const retry = useCallback(() => setRound((count) => count + 1), []);
  return { ...known, retry };
}
