/** Finds players by names that may be incomplete or mistyped. */

import type { Feature } from "../feature.ts";
import { getPlayerNames, searchPlayerNames } from "./endpoint.ts";
import examples from "./example.json";
import { NAMES } from "./parameters.ts";
import { SCHEMAS } from "./schemas.ts";
import { NAME_INDEX, updateNameIndex } from "./stored.ts";

export const nameSearch: Feature = {
  name: "name-search",
  routes: [
    {
      path: "/shards/:shard/player-names",
      summary: "Find player names similar to a text",
      description:
        "Up to 10 players whose names are similar to a text: the same name, names that begin with it, that have it as a later word, or of which it is a mistyped beginning. Name filters need the exact name; this endpoint helps to find it.",
      access: "key",
      takes: NAMES,
      response: "NameList",
      endpoint: getPlayerNames,
    },
    {
      path: "/player-names",
      summary: "Find players and matches in all shards",
      description:
        "The same over all shards that the key may read, as one request. Also finds the match with this id. `meta.unavailable` lists the shards that could not answer.",
      access: "key",
      takes: NAMES,
      response: "NameSearch",
      allShards: searchPlayerNames,
    },
  ],
  schemas: SCHEMAS,
  examples,
  tables: [NAME_INDEX],
  onNames: updateNameIndex,
};
