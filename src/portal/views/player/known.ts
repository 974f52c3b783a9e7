/** Loads the record of a player. */

import type { Matchbook } from "../../../../client/src/index.ts";
import { type Stats, textIn } from "../../format.ts";
import { type Load, useLoad } from "../../kit/load.ts";
import { playerName } from "../../names.ts";

export interface Known {
  id: string;
  name: string;
  patch: string | undefined;
  attributes: Stats;
  stats: Stats;
  /** The resource as the API serves it. */
  document: unknown;
}

export function usePlayer(matchbook: Matchbook, shard: string, id: string): Load<Known> {
  return useLoad(
    async (signal) => {
      const { attributes, raw } = await matchbook.shard(shard).player(id, { signal });
      return {
        id,
        name: playerName(attributes.name),
        patch: textIn(attributes, "patchVersion"),
        attributes,
        stats: attributes.stats ?? {},
        document: raw,
      };
    },
    [matchbook, shard, id],
  );
}
