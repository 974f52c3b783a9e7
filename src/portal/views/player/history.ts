/** Loads a player's matches page by page, for all modes or one. */

import type { GameMode } from "../../../../client/src/index.ts";
import { type Pages, usePages } from "../../kit/load.ts";
import { type Appearance, appearanceOf, matchOf, type Readable } from "../../match.ts";

/** Earlier than any match. Without a start, the API searches the last 28 days only. */
const EVER = "2000-01-01T00:00:00Z";

const QUERY = {
  include: ["rosters.participants.player"],
  // Only the names of the players are shown.
  fields: { player: ["name"] },
  sort: "-createdAt",
  limit: 5,
} as const;

export type MatchHistory = Pages<Appearance>;

/** `mode` undefined: all modes. */
export function useHistory(shard: string, id: string, mode?: GameMode): MatchHistory {
  return usePages(`matches ${shard} ${id} ${mode}`, {
    step: 20,
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
