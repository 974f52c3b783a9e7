/** Keeps a page up to date by the change feed of its region, while it is visible. */

import { useEffect, useRef, useState, useSyncExternalStore } from "react";
import { useOnline } from "../network.ts";
import { isTemporary, pauseAfter } from "../retry.ts";
import { useSession } from "../session.ts";

/** At most one refresh per pause, however many matches end. */
const PAUSE_MS = 2000;

/** "live": every match that ends from now on appears, since the stream is open and the list is up to date. */
export type Liveness = "connecting" | "live" | "interrupted";

interface Options {
  shard: string;
  /** Only matches of this player. */
  player?: string;
  /** The stream is opened when there is something to keep up to date. */
  isReady: boolean;
  /** Loads what is new: called when the stream is open, and after each change. */
  refresh(): Promise<unknown>;
  onRemoved(matchId: string): void;
}

export function useChanges({ shard, player, isReady, ...handlers }: Options): Liveness {
  const { matchbook } = useSession();
  const [liveness, setLiveness] = useState<Liveness>("connecting");
  // A stream holds one of the few connections that a browser opens to a server, so hidden tabs have none.
  const isVisible = useSyncExternalStore(subscribeToVisibility, () => !document.hidden);
  const isOnline = useOnline();
  const isOn = isReady && isVisible;
  const latest = useRef(handlers);
  latest.current = handlers;

  useEffect(() => {
    if (!isOn) return;
    if (!isOnline) return setLiveness("interrupted");
    const control = new AbortController();
    const { signal } = control;
    const state = { isOpen: false, isUpToDate: false };
    const update = (changes: Partial<typeof state>) => {
      Object.assign(state, changes);
      if (!signal.aborted) setLiveness(state.isOpen && state.isUpToDate ? "live" : "interrupted");
    };
    let isRunning = false;
    let isWanted = false;
    /** Again after a pause if it was called meanwhile, or after a failure that may pass. */
    const refresh = async () => {
      isWanted = true;
      if (isRunning) return;
      isRunning = true;
      for (let failures = 0; isWanted && !signal.aborted; ) {
        isWanted = false;
        let pause = PAUSE_MS;
        try {
          await latest.current.refresh();
          failures = 0;
          update({ isUpToDate: true });
        } catch (error) {
          isWanted ||= isTemporary(error);
          pause = pauseAfter(error, failures);
          failures += 1;
          update({ isUpToDate: false });
        }
        await new Promise((resolve) => setTimeout(resolve, pause));
      }
      isRunning = false;
    };
    const follow = async () => {
      const changes = matchbook.shard(shard).changes({
        ...(player !== undefined && { playerIds: [player] }),
        signal,
        onOpen() {
          state.isOpen = true;
          // Matches may have been recorded since the list was loaded.
          refresh();
        },
        onReconnect: () => update({ isOpen: false }),
      });
      for await (const { kind, match } of changes) {
        if (kind === "removed") latest.current.onRemoved(match.id);
        else refresh();
      }
    };
    follow().catch(() => update({ isOpen: false }));
    return () => {
      control.abort();
      setLiveness("connecting");
    };
  }, [matchbook, shard, player, isOn, isOnline]);
  return liveness;
}

export function Live({ liveness }: { liveness: Liveness }) {
  return (
    <span className={`live${liveness === "live" ? " live-on" : ""}`} role="status">
      {liveness === "live" && "Live"}
      {liveness === "interrupted" && "Live updates are interrupted"}
    </span>
  );
}

function subscribeToVisibility(listener: () => void): () => void {
  document.addEventListener("visibilitychange", listener);
  return () => document.removeEventListener("visibilitychange", listener);
}
