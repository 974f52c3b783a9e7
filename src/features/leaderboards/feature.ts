/** Leaderboards of players, over all time and over the last 28 days. */

import type { Feature } from "../feature.ts";
import { getLeaderboard, NAME, type RunningBoards } from "./endpoint.ts";
import examples from "./example.json";
import { LEADERBOARDS } from "./parameters.ts";
import { BOARDS } from "./ranking.ts";
import { countRecent, updateRecent } from "./recent.ts";
import { SCHEMAS } from "./schemas.ts";
import { PLAYER_INDEXES, PLAYER_RECENT } from "./stored.ts";

export const leaderboards: Feature = {
  name: NAME,
  routes: [
    {
      path: "/shards/:shard/leaderboards/:board",
      summary: "Get a leaderboard",
      description:
        "The players with the highest skill tier, the most ranked wins, the best win rate in ranked matches (with at least 20 of them), or the longest current win streak. Follow `links.next` for the next page; entries beyond the depth of the leaderboards are not listed. With `filter[playerIds]`, the entries of these players.",
      access: "key",
      takes: LEADERBOARDS,
      response: "Leaderboard",
      segments: { board: { description: "The name of the leaderboard.", values: BOARDS } },
      codes: ["conflicting-parameters"],
      endpoint: getLeaderboard,
    },
  ],
  schemas: SCHEMAS,
  examples,
  indexes: { players: PLAYER_INDEXES },
  start: ({ settings }): RunningBoards => ({ depth: settings["leaderboard-depth"] }),
  derived: [{ table: PLAYER_RECENT, update: updateRecent, rebuild: countRecent }],
};
