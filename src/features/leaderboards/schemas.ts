/** The response in the OpenAPI document. */

import { ID_PATTERN } from "../../domain/identifiers.ts";
import {
  COUNT,
  document,
  list,
  object,
  reference,
  resource,
  schema,
  TIME,
  URI,
} from "../../openapi/schema-parts.ts";
import { MAX_ENTRIES } from "./parameters.ts";
import { BOARDS, PERIODS } from "./ranking.ts";

export const SCHEMAS = {
  LeaderboardEntry: resource("leaderboard-entry", "A player on a leaderboard.", {
    id: { type: "string", pattern: ID_PATTERN, description: "The id of the player." },
    attributes: object(
      {
        rank: {
          type: ["integer", "null"],
          minimum: 1,
          description:
            "One more than the number of players with a better value. Null beyond the depth.",
        },
        name: { type: "string", description: "The current name of the player." },
        value: {
          type: "number",
          minimum: 0,
          description: "The skill tier, the wins, the rate from 0 to 1, or the streak.",
        },
        matches: {
          ...COUNT,
          description: "On win-rate: the ranked matches that the rate is about.",
        },
      },
      ["rank", "name", "value"],
    ),
    relationships: object({ player: object({ data: reference("player") }) }),
  }),
  Leaderboard: document(
    {
      ...list(schema("LeaderboardEntry"), MAX_ENTRIES),
      description: "The best first; players with equal values by id.",
    },
    object({ self: URI, next: URI }, ["self"]),
    {
      meta: object(
        {
          board: { type: "string", enum: BOARDS },
          period: { type: "string", enum: PERIODS },
          window: {
            ...object({ start: TIME, end: TIME }),
            description: "The 28 days, if the period is 28d and the shard has matches.",
          },
          depth: { ...COUNT, description: "How many entries are listed." },
        },
        ["board", "period", "depth"],
      ),
    },
  ),
};
