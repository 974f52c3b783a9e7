/** With whom and against whom a player played, and with what result. */

import type { Feature } from "../feature.ts";
import { getPlayedWith } from "./endpoint.ts";
import examples from "./example.json";
import { PLAYED_WITH } from "./parameters.ts";
import { SCHEMAS } from "./schemas.ts";

export const playedWith: Feature = {
  name: "played-with",
  routes: [
    {
      path: "/shards/:shard/players/:id/played-with",
      summary: "Get whom a player played with",
      description:
        "With whom and against whom a player played most in the last 28 days, and with what result. Counts the newest 200 matches, without private ones. One record for each other player, those with the most matches together first.",
      access: "key",
      takes: PLAYED_WITH,
      response: "PlayedWithList",
      endpoint: getPlayedWith,
    },
  ],
  schemas: SCHEMAS,
  examples,
};
