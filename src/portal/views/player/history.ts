/** Loads a player's matches page by page, for all modes or one. */

import { useEffect, useRef, useState } from "react";
import type { GameMode, Matchbook, Page } from "../../../../client/src/index.ts";
import { type Readable, recordOf } from "../match/read.ts";
import { appearanceOf } from "./appearance.ts";
import { type FetchPage, type LoadedMatches, loadUntil, type MatchPage } from "./paging.ts";

/** How many matches to load at first, and how many more each time: four pages of the API. */
export const STEP = 20;
const OFFSETS = [0, 5, 10, 15];

/** Earlier than any match. Without a start, the API searches the last 28 days only. */
const EVER = "2000-01-01T00:00:00Z";

const QUERY = {
  include: ["rosters.participants.player"],
  // Only the names of the players are shown.
  fields: { player: ["name"] },
  sort: "-createdAt",
  limit: 5,
} as const;

export interface MatchHistory extends LoadedMatches {
  state: "loading" | "ready" | "failed";
  error: unknown;
  /** How many matches are requested. */
  wanted: number;
  /** Whether the first matches are still loading. */
  isStarting: boolean;
  more(): void;
  retry(): void;
}

/** `mode` undefined: all modes. The arguments other than the client must not change: give the component a key. */
export function useHistory(
  matchbook: Matchbook,
  shard: string,
  id: string,
  mode?: GameMode,
): MatchHistory {
  const [wanted, setWanted] = useState(STEP);
  const [round, setRound] = useState(0);
  const [loaded, setLoaded] = useState<LoadedMatches>(() => startOf(matchbook, shard, id, mode));
  const [outcome, setOutcome] = useState<Pick<MatchHistory, "state" | "error">>(LOADING);
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
    if (client.current !== matchbook) update(startOf(matchbook, shard, id, mode));
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
  }, [matchbook, wanted, round]);

  return {
    ...loaded,
    ...outcome,
    wanted,
    isStarting: outcome.state === "loading" && wanted === STEP,
    more: () => setWanted(latest.current.appearances.length + STEP),
    retry: () => setRound((count) => count + 1),
  };
}

const LOADING = { state: "loading", error: undefined } as const;

/**
 * Nothing is loaded yet. The pages of the first step are requested at once: one after the other, they would take four
 * times as long on a phone.
 */
function startOf(matchbook: Matchbook, shard: string, id: string, mode?: GameMode): LoadedMatches {
  const pageAt = async (offset: number, signal: AbortSignal) => {
    const matches = matchbook.shard(shard).matches({
      ...QUERY,
      ...(offset > 0 && { offset }),
      playerIds: [id],
      createdAtStart: EVER,
      ...(mode && { gameMode: [mode] }),
      signal,
    });
    return pageOf(await matches.page(), id);
  };
  const first: FetchPage = async (signal) => {
    const pages = await Promise.allSettled(OFFSETS.map((offset) => pageAt(offset, signal)));
    const failed = pages.findIndex(({ status }) => status === "rejected");
    if (failed === 0) throw (pages[0] as PromiseRejectedResult).reason;
    // Later pages are requested again: a limit was reached, or the operator has limited offsets.
    const loaded = pages.slice(0, failed === -1 ? undefined : failed) as { value: MatchPage }[];
    return {
      appearances: loaded.flatMap(({ value }) => value.appearances),
      next: loaded.at(-1)!.value.next,
    };
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
