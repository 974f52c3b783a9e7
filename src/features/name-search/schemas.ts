/** The responses in the OpenAPI document. */

import { ID_PATTERN, SHARD_PATTERN } from "../../domain/identifiers.ts";
import {
  COUNT,
  document,
  list,
  object,
  resource,
  type Schema,
  SelfLink,
  schema,
  TIME,
} from "../../openapi/schema-parts.ts";
import { MAX_NAMES } from "./parameters.ts";

const NEAREST: Schema = {
  type: "boolean",
  const: true,
  description: "No name is similar: these are the nearest ones. Otherwise absent.",
};

export const SCHEMAS = {
  PlayerName: resource("player-name", "The current name of a player.", {
    id: { type: "string", pattern: ID_PATTERN, description: "The id of the player." },
    attributes: object(
      {
        name: { type: "string", description: "The current name of the player." },
        shardId: { type: "string", pattern: SHARD_PATTERN, description: "Region shard." },
        skillTier: { ...COUNT, description: "If the player record has one." },
        lastMatchAt: { ...TIME, description: "When the newest match of the player was created." },
      },
      ["name", "shardId"],
    ),
  }),
  FoundMatch: resource("match", "The match whose id was searched for.", {
    id: { type: "string", pattern: ID_PATTERN, description: "The id that was searched for." },
    attributes: object({
      shardId: { type: "string", pattern: SHARD_PATTERN, description: "Region shard." },
      createdAt: TIME,
    }),
  }),
  NameList: document(
    { ...list(schema("PlayerName"), MAX_NAMES), description: "The closest names first." },
    SelfLink,
    { meta: object({ nearest: NEAREST }) },
    ["meta"],
  ),
  NameSearch: document(
    {
      ...list({ anyOf: ["PlayerName", "FoundMatch"].map(schema) }, MAX_NAMES),
      description: "A match with this id first, then the closest names.",
    },
    SelfLink,
    {
      meta: object(
        {
          nearest: NEAREST,
          unavailable: {
            ...list({ type: "string", pattern: SHARD_PATTERN }),
            description: "The shards that could not answer. Only if there are any.",
          },
        },
        [],
      ),
    },
    ["meta"],
  ),
};
