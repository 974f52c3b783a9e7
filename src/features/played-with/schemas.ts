/** The response in the OpenAPI document. */

import { ID_PATTERN } from "../../domain/identifiers.ts";
import {
  COUNT,
  document,
  list,
  object,
  reference,
  resource,
  SelfLink,
  schema,
  TIME,
} from "../../openapi/schema-parts.ts";
import { MAX_PLAYERS } from "./parameters.ts";

const TALLY = object({
  matches: COUNT,
  wins: { ...COUNT, description: "Those that the player of the request won." },
});

export const SCHEMAS = {
  PlayedWith: resource("played-with", "Another player, in whose matches the player also played.", {
    id: { type: "string", pattern: ID_PATTERN, description: "The id of the other player." },
    attributes: object({
      name: { type: "string", description: "The current name of the other player." },
      with: { ...TALLY, description: "Matches on the same side." },
      against: { ...TALLY, description: "Matches on opposite sides." },
      lastPlayedAt: { ...TIME, description: "When their newest match was created." },
    }),
    relationships: object({ player: object({ data: reference("player") }) }),
  }),
  PlayedWithList: document(
    {
      ...list(schema("PlayedWith"), MAX_PLAYERS),
      description: "The most matches together first.",
    },
    SelfLink,
    {
      meta: object({
        matches: { ...COUNT, description: "The number of matches counted." },
        window: object({ start: TIME, end: TIME }),
        isTruncated: {
          type: "boolean",
          description: "Whether there were more matches in the window, which are not counted.",
        },
      }),
    },
  ),
};
