/** The schemas of responses, based on the fields of the resources. */

import { ACTOR_STATS } from "../domain/actors.ts";
import { ERRORS } from "../domain/errors.ts";
import { ID_PATTERN, SHARD_PATTERN } from "../domain/identifiers.ts";
import { JSON_API_VERSION } from "../domain/json.ts";
import { BOARDS, PERIODS } from "../domain/leaderboards.ts";
import { GAME_MODES } from "../domain/modes.ts";
import {
  MAX_ACTORS,
  MAX_CHANGES,
  MAX_COMPANY,
  MAX_ENTRIES,
  MAX_NAMES,
  MAX_OMITTED,
  MAX_PLAYERS,
  PAGE_SIZE,
} from "../query/parameters.ts";
import { ExtraParticipant, ExtraRoster, Match, Other, Player, Team } from "../schema/resources.ts";

type Schema = Record<string, unknown>;

const URI = { type: "string", format: "uri" };
const TIME = { type: "string", format: "date-time" };
const DAY = { type: "string", format: "date" };
const COUNT = { type: "integer", minimum: 0 };

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

const list = (items: Schema, maxItems?: number): Schema => ({
  type: "array",
  items,
  ...(maxItems ? { maxItems } : {}),
});
const object = (
  properties: Record<string, Schema>,
  required = Object.keys(properties),
): Schema => ({
  type: "object",
  properties,
  required,
});
const schema = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });

const TALLY = object({
  matches: COUNT,
  wins: { ...COUNT, description: "Those that the player of the request won." },
});

const reference = (type: string): Schema =>
  object({ type: { type: "string", const: type }, id: { type: "string", pattern: ID_PATTERN } });

const JsonApi = object({ version: { type: "string", const: JSON_API_VERSION } });
const SelfLink = object({ self: URI });
const Included: Schema = {
  ...list({ anyOf: ["Roster", "Participant", "Player", "Team", "Other"].map(schema) }),
  description: "The related resources, each once. Empty if `include` is empty.",
};

const NothingIncluded: Schema = {
  ...list(schema("Other")),
  maxItems: 0,
  description: "Players have no related resources: empty if `include` is empty, otherwise absent.",
};

function document(
  data: Schema,
  links: Schema,
  more: Record<string, Schema> = {},
  optional: readonly string[] = [],
): Schema {
  const properties: Record<string, Schema> = { data, ...more, links, jsonapi: JsonApi };
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { ...object(properties, required), additionalProperties: false };
}

const playerDocument = (data: Schema, more: Record<string, Schema> = {}): Schema =>
  document(data, SelfLink, { included: NothingIncluded, ...more }, ["included", "meta"]);

const NEAREST: Schema = {
  type: "boolean",
  const: true,
  description: "No name is similar: these are the nearest ones. Otherwise absent.",
};

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
  PlayerName: {
    ...object({
      type: { type: "string", const: "player-name" },
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
    description: "The current name of a player.",
  },
  FoundMatch: {
    ...object({
      type: { type: "string", const: "match" },
      id: { type: "string", pattern: ID_PATTERN, description: "The id that was searched for." },
      attributes: object({
        shardId: { type: "string", pattern: SHARD_PATTERN, description: "Region shard." },
        createdAt: TIME,
      }),
    }),
    description: "The match whose id was searched for.",
  },
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
  Change: {
    ...object({
      type: { type: "string", const: "change" },
      id: { type: "string", description: "The cursor after this change." },
      attributes: object({
        kind: { type: "string", enum: ["added", "replaced", "removed"] },
        changedAt: { ...TIME, description: "When the change was made." },
        createdAt: { ...TIME, description: "As of the match." },
        gameMode: { type: "string", enum: GAME_MODES, description: "As of the match." },
        patchVersion: { type: "string", description: "As of the match." },
      }),
      relationships: object({
        match: object({ data: reference("match") }),
        players: object({ data: list(reference("player")) }),
      }),
    }),
    description: "A change of a served match.",
  },
  ChangeList: document(
    { ...list(schema("Change"), MAX_CHANGES), description: "The oldest change first." },
    object({ self: URI, next: URI }),
  ),
  Company: {
    ...object({
      type: { type: "string", const: "company" },
      id: { type: "string", pattern: ID_PATTERN, description: "The id of the other player." },
      attributes: object({
        name: { type: "string", description: "The current name of the other player." },
        with: { ...TALLY, description: "Matches on the same side." },
        against: { ...TALLY, description: "Matches on opposite sides." },
        lastPlayedAt: { ...TIME, description: "When their newest match was created." },
      }),
      relationships: object({ player: object({ data: reference("player") }) }),
    }),
    description: "Another player, in whose matches the player also played.",
  },
  CompanyList: document(
    { ...list(schema("Company"), MAX_COMPANY), description: "The most matches together first." },
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
  Actor: {
    ...object({
      type: { type: "string", const: "actor" },
      id: { type: "string", description: "The actor, as records name it." },
      attributes: object({
        matches: { ...COUNT, description: "How often it was played: participants, not matches." },
        wins: { ...COUNT, description: "How often its side won." },
        winRate: { type: "number", description: "`wins` / `matches`." },
        pickRate: {
          type: "number",
          description: "`matches` per match selected: more than 1 if most matches have several.",
        },
        ...Object.fromEntries(
          ACTOR_STATS.map((name) => [name, { type: "number", description: "Average." }]),
        ),
      }),
    }),
    description: "The statistics of an actor (hero).",
  },
  ActorList: document(list(schema("Actor"), MAX_ACTORS), SelfLink, {
    meta: object({
      matches: { ...COUNT, description: "The number of matches selected." },
      actors: { ...COUNT, description: "The number of actors in them." },
      isTruncated: {
        type: "boolean",
        description: "Whether there are more actors, or more data than a request may read.",
      },
    }),
  }),
  LeaderboardEntry: {
    ...object({
      type: { type: "string", const: "leaderboard-entry" },
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
    description: "A player on a leaderboard.",
  },
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
      streams: { ...COUNT, description: "Streams and waiting requests for changes at once." },
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
