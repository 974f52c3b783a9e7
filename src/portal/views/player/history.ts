/** Loads a player's matches page by page, for all modes or one. */

import { useEffect, useRef, useState } from "react";
import type { GameMode, Matchbook, Page } from "../../../../client/src/index.ts";
import { type Readable, recordOf } from "../match/read.ts";
import { appearanceOf } from "./appearance.ts";
import { type FetchPage, type LoadedMatches, loadUntil, type MatchPage } from "./paging.ts";

/** How many matches to load at first, and how many more each time: four pages of the API. */
export const STEP = 20;

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
 * Nothing is loaded yet; the first page has the newest matches. The other pages of the first step are requested at once:
 * one after the other, they would take three times as long.
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
    const page = await pageAt(0, signal);
    return { ...page, next: page.next && restOfStep(page.next) };
  };
  const restOfStep =
    (next: FetchPage): FetchPage =>
    async (signal) => {
      const offsets = [5, 10, 15];
      const pages = await Promise.allSettled(offsets.map((offset) => pageAt(offset, signal)));
      const failed = pages.findIndex(({ status }) => status === "rejected");
      const loaded = pages.slice(0, failed === -1 ? undefined : failed) as { value: MatchPage }[];
      const last = loaded.at(-1)?.value;
      // Nothing is lost if one fails, e.g. since the operator has limited offsets.
      if (!last) return next(signal);
      return { appearances: loaded.flatMap(({ value }) => value.appearances), next: last.next };
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
