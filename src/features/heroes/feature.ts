/** Hero statistics: how often each hero is played and wins, by game mode and patch. */

import type { Feature } from "../feature.ts";
import { getHeroes } from "./endpoint.ts";
import examples from "./example.json";
import { HEROES } from "./parameters.ts";
import { SCHEMAS } from "./schemas.ts";
import { heroParts, PART } from "./statistics.ts";
import { countHeroes, HERO_STATS, keepPruned } from "./stored.ts";

export const heroes: Feature = {
  name: "heroes",
  routes: [
    {
      path: "/shards/:shard/heroes",
      summary: "Get hero statistics",
      description:
        "How often each hero was played, how often it won, and its average stats, over all matches that are or were served, of any age; private ones do not count. Filters select game modes and patches.",
      access: "key",
      takes: HEROES,
      response: "HeroList",
      codes: ["not-ready"],
      endpoint: getHeroes,
    },
  ],
  schemas: SCHEMAS,
  examples,
  outline: { [PART]: heroParts },
  derived: [{ table: HERO_STATS, update: countHeroes, prune: keepPruned }],
};
