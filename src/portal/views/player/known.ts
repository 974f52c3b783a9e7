/** Loads the record of a player. */

import { type Stats, textIn } from "../../format.ts";
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
