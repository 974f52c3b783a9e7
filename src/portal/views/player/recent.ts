/** Loads a player's recent matches page by page. */

import { useEffect, useRef, useState } from "react";
import type { Matchbook, Page } from "../../../../client/src/index.ts";
import { type Readable, recordOf } from "../match/read.ts";
import { appearanceOf } from "./appearance.ts";
import { type FetchPage, type LoadedMatches, loadUntil, type MatchPage } from "./paging.ts";

/** How many matches to load at first, and how many more each time. */
const STEP = 25;

/** Earlier than any match. Without a start, the API searches the last 28 days only. */
const EVER = "2000-01-01T00:00:00Z";

/** Players are identified by their references, so they need not be included. */
const QUERY = { include: ["rosters.participants"], sort: "-createdAt", limit: 5 } as const;

export interface Recent extends LoadedMatches {
  state: "loading" | "ready" | "failed";
  error: unknown;
  /** How many matches are requested. */
  wanted: number;
  more(): void;
  retry(): void;
}

export function useRecent(matchbook: Matchbook, shard: string, id: string): Recent {
  const [wanted, setWanted] = useState(STEP);
  const [round, setRound] = useState(0);
  const [loaded, setLoaded] = useState<LoadedMatches>(() => startOf(matchbook, shard, id));
  const [outcome, setOutcome] = useState<Pick<Recent, "state" | "error">>(LOADING);
  const latest = useRef(loaded);
  const client = useRef(matchbook);

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new round is another attempt.
  useEffect(() => {
    const control = new AbortController();
    const update = (now: LoadedMatches) => {
      latest.current = now;
      setLoaded(now);
    };
    // Later pages use the key of the first page, so a new key starts over.
    if (client.current !== matchbook) update(startOf(matchbook, shard, id));
    client.current = matchbook;
    setOutcome(LOADING);
    loadUntil(latest.current, wanted, control.signal, update).then(
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

/** Nothing is loaded yet; the first page has the newest matches. */
function startOf(matchbook: Matchbook, shard: string, id: string): LoadedMatches {
  const first: FetchPage = async (signal) => {
    const matches = matchbook
      .shard(shard)
      .matches({ ...QUERY, playerIds: [id], createdAtStart: EVER, signal });
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
