/** In charge of a player's recent matches: asked for page by page, shown as they come. */

import { useEffect, useRef, useState } from "react";
import type { Matchbook, Page } from "../../../../client/src/index.ts";
import { type Readable, recordOf } from "../match/read.ts";
import { appearanceOf } from "./appearance.ts";
import { type LoadedMatches, loadUntil, type MatchPage, type Step } from "./paging.ts";

/** So many are shown at first, and so many more each time. */
const STEP = 25;

/** Before any record: without a start the service looks 28 days back. */
const EVER = "2000-01-01T00:00:00Z";

/** Whose figures they are is told by references, so that the players themselves need not come. */
const NEEDED = { include: ["rosters.participants"], sort: "-createdAt", limit: 5 } as const;

export interface Recent extends LoadedMatches {
  state: "loading" | "ready" | "failed";
  error: unknown;
  /** So many are being looked for. */
  wanted: number;
  more(): void;
  retry(): void;
}

export function useRecent(matchbook: Matchbook, shard: string, id: string): Recent {
  const [wanted, setWanted] = useState(STEP);
  const [round, setRound] = useState(0);
  const [loaded, setWalked] = useState<LoadedMatches>(() => startOf(matchbook, shard, id));
  const [outcome, setOutcome] = useState<Pick<Recent, "state" | "error">>(LOADING);
  const latest = useRef(loaded);
  const asked = useRef(matchbook);

  // biome-ignore lint/correctness/useExhaustiveDependencies: a round is another attempt.
  useEffect(() => {
    const control = new AbortController();
    const tell = (now: LoadedMatches) => {
      latest.current = now;
      setWalked(now);
    };
    // The pages that follow are bound to the key that asked for the first one.
    if (asked.current !== matchbook) tell(startOf(matchbook, shard, id));
    asked.current = matchbook;
    setOutcome(LOADING);
    loadUntil(latest.current, wanted, control.signal, tell).then(
      () => {
        if (!control.signal.aborted) setOutcome({ state: "ready", error: undefined });
      },
      (error: unknown) => {
        if (!control.signal.aborted) setOutcome({ state: "failed", error });
      },
    );
    return () => control.abort();
  }, [matchbook, shard, id, wanted, round]);

  return {
    ...loaded,
    ...outcome,
    wanted,
    more: () => setWanted(latest.current.appearances.length + STEP),
    retry: () => setRound((count) => count + 1),
  };
}

const LOADING = { state: "loading", error: undefined } as const;

/** Nothing is read yet; the first step asks for the newest matches. */
function startOf(matchbook: Matchbook, shard: string, id: string): LoadedMatches {
  const first: Step = async (signal) => {
    const matches = matchbook
      .shard(shard)
      .matches({ ...NEEDED, playerIds: [id], createdAtStart: EVER, signal });
    return pageOf(await matches.page(), id);
  };
  return { appearances: [], next: first };
}

function pageOf(page: Page<Readable>, id: string): MatchPage {
  const { items, next } = page;
  return {
    appearances: items
      .map((match) => appearanceOf(recordOf(match), id))
      .filter((appearance) => appearance !== undefined),
    next: next && (async (signal) => pageOf(await next({ signal }), id)),
  };
}
