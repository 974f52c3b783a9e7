/** A hook that loads data and tracks its state: loading, ready or failed. */

import { useCallback, useEffect, useRef, useState } from "react";

type Known<T> =
  | { state: "loading"; value: T | undefined }
  | { state: "ready"; value: T }
  | { state: "failed"; error: unknown; value: T | undefined };

export type Load<T> = Known<T> & {
  /** Loads again. */
  retry(): void;
};

/** Runs `load` when `inputs` change, aborts the previous run, and keeps the old value while loading. */
export function useLoad<T>(
  load: (signal: AbortSignal) => Promise<T>,
  inputs: readonly unknown[],
): Load<T> {
  const [known, setKnown] = useState<Known<T>>({ state: "loading", value: undefined });
  const [round, setRound] = useState(0);
  const latest = useRef(load);
  latest.current = load;

  // biome-ignore lint/correctness/useExhaustiveDependencies: the caller lists the dependencies.
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
