/** The response in the OpenAPI document. */

import {
  COUNT,
  document,
  list,
  object,
  resource,
  SelfLink,
  schema,
} from "../../openapi/schema-parts.ts";
import { MAX_HEROES } from "./parameters.ts";
import { ofStats } from "./statistics.ts";

export const SCHEMAS = {
  Hero: resource("hero", "The statistics of a hero.", {
    id: { type: "string", description: "The hero, as records name it." },
    attributes: object({
      matches: { ...COUNT, description: "How often it was played: participants, not matches." },
      wins: { ...COUNT, description: "How often its side won." },
      winRate: { type: "number", description: "`wins` / `matches`." },
      pickRate: {
        type: "number",
        description: "`matches` per match selected: more than 1 if most matches have several.",
      },
      ...ofStats(() => ({ type: "number", description: "Average." })),
    }),
  }),
  HeroList: document(list(schema("Hero"), MAX_HEROES), SelfLink, {
    meta: object({
      matches: { ...COUNT, description: "The number of matches selected." },
      heroes: { ...COUNT, description: "The number of heroes in them." },
      isTruncated: {
        type: "boolean",
        description: "Whether there are more heroes, or more data than a request may read.",
      },
    }),
  }),
};
