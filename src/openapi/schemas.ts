/** The schemas of responses, based on the fields of the resources. */

import { ERRORS } from "../domain/errors.ts";
import { GAME_MODES } from "../domain/modes.ts";
import { MAX_OMITTED, MAX_PLAYERS, PAGE_SIZE } from "../query/parameters.ts";
import { ExtraParticipant, ExtraRoster, Match, Other, Player, Team } from "../schema/resources.ts";
import {
  COUNT,
  DAY,
  document,
  JsonApi,
  list,
  object,
  type Schema,
  SelfLink,
  schema,
  TIME,
  URI,
} from "./schema-parts.ts";

/**
 * A response may contain only part of a resource, as `fields[TYPE]` says. Only the type and the id are always
 * there.
 */
function asResponse(schema: object, description: string): Schema {
  const plain = JSON.parse(JSON.stringify(schema)) as Schema;
  const properties = plain.properties as Record<string, Schema>;
  const { type, id, ...members } = properties;
  for (const member of Object.values(members)) delete member.required;
  return { ...(opened(plain) as Schema), description, required: ["type", "id"] };
}

/** A served match meets more conditions than a received one. */
function servedMatch(): Schema {
  const match = asResponse(Match, "A completed match.") as {
    properties: { attributes: { properties: Record<string, Schema> } };
  };
  const { createdAt, gameMode } = match.properties.attributes.properties;
  Object.assign(createdAt!, TIME);
  Object.assign(gameMode!, { enum: GAME_MODES });
  return match;
}

/** Marks every object as open: attributes and stats may have further members. */
function opened(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(opened);
  if (typeof schema !== "object" || schema === null) return schema;
  const members = Object.entries(schema).map(([name, value]) => [name, opened(value)]);
  const isObject = (schema as Schema).type === "object";
  return { ...(isObject && { additionalProperties: true }), ...Object.fromEntries(members) };
}

const Included: Schema = {
  ...list({ anyOf: ["Roster", "Participant", "Player", "Team", "Other"].map(schema) }),
  description: "The related resources, each once. Empty if `include` is empty.",
};

const NothingIncluded: Schema = {
  ...list(schema("Other")),
  maxItems: 0,
  description: "Players have no related resources: empty if `include` is empty, otherwise absent.",
};

const playerDocument = (data: Schema, more: Record<string, Schema> = {}): Schema =>
  document(data, SelfLink, { included: NothingIncluded, ...more }, ["included", "meta"]);

export const SCHEMAS: Record<string, Schema> = {
  Match: servedMatch(),
  Roster: asResponse(ExtraRoster, "One side of a match."),
  Participant: asResponse(
    ExtraParticipant,
    "One member of a roster: a registered player, an anonymous player or a bot.",
  ),
  Player: asResponse(Player, "The lifetime record of a registered player."),
  Team: asResponse(Team, "A team that players entered matchmaking with."),
  Other: {
    ...asResponse(Other, "Any other resource of a record."),
    not: {
      properties: { type: { enum: ["match", "roster", "participant", "player", "team"] } },
    },
  },
  MatchList: document(
    list(schema("Match"), PAGE_SIZE),
    object({ self: URI, first: URI, prev: URI, next: URI }, ["self", "first"]),
    {
      included: Included,
      meta: object({ window: object({ start: TIME, end: TIME }) }),
    },
  ),
  SingleMatch: document(schema("Match"), SelfLink, { included: Included }),
  PlayerList: playerDocument(list(schema("Player"), MAX_PLAYERS), {
    meta: {
      ...object({
        omitted: {
          type: "integer",
          minimum: 1,
          maximum: MAX_OMITTED,
          description: `How many more players the filter found. ${MAX_OMITTED} means ${MAX_OMITTED} or more.`,
        },
      }),
      description: "Only if the filter found more players than are returned.",
    },
  }),
  SinglePlayer: playerDocument(schema("Player")),
  Errors: {
    ...object({
      errors: {
        ...list(
          object(
            {
              id: { type: "string", description: "The id of the request." },
              status: { type: "string", pattern: "^[45][0-9]{2}$" },
              code: { type: "string", enum: Object.keys(ERRORS) },
              title: { type: "string" },
              detail: { type: "string", description: "What is wrong and how to fix it." },
              source: {
                oneOf: [
                  object({ parameter: { type: "string" } }),
                  object({ header: { type: "string" } }),
                ],
              },
            },
            ["id", "status", "code", "title", "detail"],
          ),
        ),
        minItems: 1,
      },
      jsonapi: JsonApi,
    }),
    additionalProperties: false,
  },
  Usage: object({
    key: object({
      id: { type: "string" },
      name: { type: "string" },
      tier: { type: "string" },
    }),
    limits: object({
      requestsPerMinute: COUNT,
      burst: COUNT,
      matchesPerDay: { ...COUNT, type: ["integer", "null"], description: "Null means unlimited." },
      shards: {
        ...list({ type: "string" }),
        description: "`*` means every shard that is not closed.",
      },
      streams: { ...COUNT, description: "Streams of changes at once." },
      changesPerMinute: COUNT,
    }),
    today: object({
      day: DAY,
      matches: {
        ...COUNT,
        description: "Distinct matches that count against the quota. 0 for a key without one.",
      },
      matchesLeft: { ...COUNT, type: ["integer", "null"], description: "Null means unlimited." },
      resetSeconds: { ...COUNT, description: "Seconds until the next UTC day." },
    }),
    days: list(
      object({
        day: DAY,
        requests: {
          type: "object",
          additionalProperties: COUNT,
          description: "Requests by HTTP status.",
        },
        records: { ...COUNT, description: "Match and player records in response bodies." },
        lastSeen: TIME,
      }),
    ),
  }),
  Status: object(
    {
      name: { type: "string" },
      version: { type: "string" },
      startedAt: TIME,
      shards: list(
        object(
          {
            id: { type: "string" },
            available: { type: "boolean" },
            newestMatch: { anyOf: [TIME, { type: "null" }] },
            ageSeconds: { type: ["integer", "null"] },
            replicas: {
              ...object({ listed: { type: "integer" }, inUse: { type: "integer" } }),
              description:
                "If the shard has read replicas: how many are configured, and how many are in use.",
            },
          },
          ["id", "available", "newestMatch", "ageSeconds"],
        ),
      ),
      sharedLimits: {
        type: "string",
        enum: ["ok", "unavailable"],
        description:
          "If several instances share limits: whether they do, or each applies its own because Redis is unavailable.",
      },
    },
    ["name", "version", "startedAt", "shards"],
  ),
  Health: object({ status: { type: "string", const: "ok" } }),
  Readiness: object(
    {
      status: { type: "string", enum: ["ready", "not ready"] },
      unavailable: { ...list({ type: "string" }), description: "The shards that cannot be read." },
      keys: {
        type: "string",
        const: "unavailable",
        description: "Present while API keys cannot be checked, because they have not been loaded.",
      },
    },
    ["status"],
  ),
  Description: { type: "object", description: "An OpenAPI 3.1 document." },
};
