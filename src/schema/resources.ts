/**
 * The fields of each resource, with types and descriptions. Ingest validates records against these
 * schemas, and the OpenAPI document contains them. Attributes and stats are open: a resource may
 * have more.
 */

import { ID_PATTERN, SHARD_PATTERN } from "../domain/identifiers.ts";
import { array, integer, number, object, type Schema, string } from "./json-schema.ts";

export const MAX_NAME_LENGTH = 256;
/** For indexed texts: PostgreSQL cannot store U+0000. */
export const NO_NUL = "^[^\\u0000]*$";

const text = (description: string) => string({ description });
const count = (description: string) => integer({ description });
const decimal = (description: string) => number({ description });
const label = (description: string) =>
  string({ description, maxLength: MAX_NAME_LENGTH, pattern: NO_NUL });
const name = (description: string) =>
  string({ description, minLength: 1, maxLength: MAX_NAME_LENGTH, pattern: NO_NUL });

export const Id = string({
  description: "Identifier, compared byte by byte.",
  pattern: ID_PATTERN,
});
export const Shard = string({ description: "Region shard.", pattern: SHARD_PATTERN });

const typed = (type: string) => ({ type: string({ const: type }), id: Id });
const reference = (type: string) => object(typed(type));
const toOne = (type: string) => object({ data: reference(type) });
const toMany = (type: string, more?: Schema) => object({ data: array(reference(type), more) });

export const Match = object({
  ...typed("match"),
  attributes: object({
    createdAt: text("Creation time of the record: ISO 8601, UTC."),
    duration: integer({ description: "Length of the session in seconds.", minimum: 0 }),
    gameMode: label("Game mode."),
    patchVersion: label("Patch version of the game; may be empty."),
    shardId: Shard,
    stats: object({
      endGameReason: text("How the session ended."),
      queue: text("The queue the players came from."),
    }),
  }),
  relationships: object({ rosters: toMany("roster", { minItems: 2, maxItems: 2 }) }),
});

const rosterAttributes = {
  shardId: Shard,
  won: { description: "Whether this side won.", enum: ["true", "false"] },
};
const rosterStats = {
  acesEarned: count("Aces of this side."),
  gold: count("Gold of this side."),
};
const participants = toMany("participant");
const team = toOne("team");

export const Roster = object({
  ...typed("roster"),
  attributes: object({ ...rosterAttributes, stats: object(rosterStats) }),
  relationships: object({ participants }, { team }),
});

/** An additional roster in a record. Members may be missing, but those present must be valid. */
export const ExtraRoster = object(typed("roster"), {
  attributes: object({}, { ...rosterAttributes, stats: object({}, rosterStats) }),
  relationships: object({}, { participants, team }),
});

const actor = text("Name of the character played.");
const participantStats = {
  assists: count("Assists."),
  crystalMineCaptures: count("Captures of the crystal mine."),
  deaths: count("Deaths."),
  farm: decimal("Farm score."),
};
const participantRelationships = { relationships: object({}, { player: toOne("player") }) };

export const Participant = object(
  { ...typed("participant"), attributes: object({ actor, stats: object(participantStats) }) },
  participantRelationships,
);

/** An additional participant in a record, e.g. a spectator. */
export const ExtraParticipant = object(typed("participant"), {
  attributes: object({}, { actor, stats: object({}, participantStats) }),
  ...participantRelationships,
});

const playerAttributes = {
  name: name("Player name, specific to the region; not unique."),
  patchVersion: text("Patch version of the player's latest match."),
  shardId: Shard,
  titleID: text("Identifier of the game title."),
};

const playerStats = {
  winStreak: count("Matches won in a row, up to the latest."),
  lossStreak: count("Matches lost in a row, up to the latest."),
  lifetimeGold: decimal("Gold of all served matches."),
  played: count("Served matches played."),
  wins: count("Served matches won."),
  played_ranked: count("Served matches of mode ranked."),
};

/** A player as served. */
export const Player = object({
  ...typed("player"),
  attributes: object({ ...playerAttributes, stats: object(playerStats) }),
});

/** A player in a record: stats may be missing. */
export const CarriedPlayer = object({
  ...typed("player"),
  attributes: object(playerAttributes, { stats: object({}, playerStats) }),
});

export const Team = object({
  ...typed("team"),
  attributes: object({ name: name("The team's tag in the game."), shardId: Shard }),
});

/** Any other resource in a record. */
export const Other = object(
  { type: string({ pattern: ID_PATTERN }), id: Id },
  {
    attributes: object({}),
    relationships: { type: "object", additionalProperties: object({}) },
  },
);
