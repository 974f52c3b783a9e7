/** Loads a player's matches page by page, for all modes or one. */

import type { GameMode } from "../../../../client/src/index.ts";
import { type Pages, usePages } from "../../kit/load.ts";
import {
  type Appearance,
  appearanceOf,
  MATCHES_PER_PAGE,
  matchOf,
  type Readable,
} from "../../match.ts";

/** Earlier than any match. Without a start, the API searches the last 28 days only. */
const EVER = "2000-01-01T00:00:00Z";

const QUERY = {
  include: ["rosters.participants.player"],
  // Only the names of the players are shown.
  fields: { player: ["name"] },
  sort: "-createdAt",
  limit: MATCHES_PER_PAGE,
} as const;

export type MatchHistory = Pages<Appearance>;

/** What is computed from the loaded matches covers: "Last 20 matches". Blank until they are loaded. */
export const periodOf = ({ items, hasMore, isStarting }: MatchHistory): string =>
  isStarting ? "\u00a0" : capitalized(period(items.length, hasMore));

/** "last 20 matches", "all 7 Ranked matches", "1 match". */
export function period(count: number, hasMore: boolean, kind = ""): string {
  const matches = `${count} ${kind}${count === 1 ? "match" : "matches"}`;
  if (hasMore) return `last ${matches}`;
  return count === 1 ? matches : `all ${matches}`;
}

export const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** `mode` undefined: all modes. */
export function useHistory(shard: string, id: string, mode?: GameMode): MatchHistory {
  return usePages(`matches ${shard} ${id} ${mode}`, {
    step: 20,
    pageSize: MATCHES_PER_PAGE,
    pageAt: (matchbook, offset, signal) =>
      matchbook
        .shard(shard)
        .matches({
          ...QUERY,
          offset,
          playerIds: [id],
          createdAtStart: EVER,
          ...(mode && { gameMode: [mode] }),
          signal,
        })
        .page(),
    read: (match: Readable) => appearanceOf(matchOf(match), id),
  });
}
