/** Loads the record of a player, and the places on leaderboards. */

import type { Board } from "../../../../client/src/index.ts";
import { numberIn, type Stats, textIn } from "../../format.ts";
import { type Load, useLoad } from "../../kit/load.ts";
import { playerName } from "../../names.ts";

export interface Known {
  id: string;
  name: string;
  patch: string | undefined;
  attributes: Stats;
  stats: Stats;
}

export function usePlayer(shard: string, id: string): Load<Known> {
  return useLoad(`player ${shard} ${id}`, async (matchbook, signal) => {
    const { attributes } = await matchbook.shard(shard).player(id, { signal });
    return {
      id,
      name: playerName(attributes.name),
      patch: textIn(attributes, "patchVersion"),
      attributes,
      stats: attributes.stats ?? {},
    };
  });
}

export interface Rank {
  board: Board;
  rank: number;
  /** "by skill tier". */
  by: string;
}

/** Each board costs a request, so only these two, and only for players who can be on them. */
const BOARDS = [
  { board: "skill-tier", by: "by skill tier", stat: "skillTier", least: 0 },
  { board: "ranked-wins", by: "by ranked wins", stat: "played_ranked", least: 1 },
] as const;

/** Empty until loaded, and if a board is unavailable: the page does not need them. */
export function useRanks(shard: string, player: Known | undefined): readonly Rank[] {
  const { id, stats = {} } = player ?? {};
  const values = BOARDS.map(({ stat }) => numberIn(stats, stat) ?? -1);
  // After a match that changed a value, the rank may be another one.
  const key = `ranks ${shard} ${id} ${values.join(" ")}`;
  const { value, before } = useLoad(key, async (matchbook, signal) => {
    const boards = BOARDS.filter(({ least }, at) => values[at]! >= least);
    const found = await Promise.all(
      boards.map(async ({ board, by }) => {
        const entries = matchbook.shard(shard).leaderboard(board, { playerIds: [id!], signal });
        const [entry] = (await entries.page()).items;
        // Null beyond the depth of the board.
        return entry && entry.rank !== null ? [{ board, by, rank: entry.rank }] : [];
      }),
    );
    return found.flat();
  });
  return value ?? before ?? [];
}
