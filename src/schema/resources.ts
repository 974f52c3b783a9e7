/**
 * The fields of each resource, with types and descriptions. Ingest validates records against these
 * schemas, and the OpenAPI document contains them. Attributes and stats are open: a resource may
 * have more.
 */

import Type from "typebox";
import { ID_PATTERN, SHARD_PATTERN } from "../domain/identifiers.ts";

export const MAX_NAME_LENGTH = 256;
/** For indexed texts: PostgreSQL cannot store U+0000. */
export const NO_NUL = "^[^\\u0000]*$";

const Optional = Type.Optional;
const text = (description: string) => Type.String({ description });
const count = (description: string) => Type.Integer({ description });
const decimal = (description: string) => Type.Number({ description });
const label = (description: string) =>
  Type.String({ description, maxLength: MAX_NAME_LENGTH, pattern: NO_NUL });
const name = (description: string) =>
  Type.String({ description, minLength: 1, maxLength: MAX_NAME_LENGTH, pattern: NO_NUL });

const Id = Type.String({ description: "Identifier, compared byte by byte.", pattern: ID_PATTERN });
const Shard = Type.String({ description: "Region shard.", pattern: SHARD_PATTERN });

const reference = (type: string) => Type.Object({ type: Type.Literal(type), id: Id });
const toOne = (type: string) => Type.Object({ data: reference(type) });

export const Match = Type.Object({
  type: Type.Literal("match"),
  id: Id,
  attributes: Type.Object({
    createdAt: text("Creation time of the record: ISO 8601, UTC."),
    duration: Type.Integer({ description: "Length of the session in seconds.", minimum: 0 }),
    gameMode: label("Game mode."),
    patchVersion: label("Patch version of the game; may be empty."),
    shardId: Shard,
    stats: Type.Object({
      endGameReason: text("How the session ended."),
      queue: text("The queue the players came from."),
    }),
  }),
  relationships: Type.Object({
    rosters: Type.Object({ data: Type.Array(reference("roster"), { minItems: 2, maxItems: 2 }) }),
  }),
});

const rosterAttributes = {
  shardId: Shard,
  won: Type.Enum(["true", "false"], { description: "Whether this side won." }),
};
const rosterStats = Type.Object({
  acesEarned: count("Aces of this side."),
  gold: count("Gold of this side."),
});
const rosterRelationships = Type.Object({
  participants: Type.Object({ data: Type.Array(reference("participant")) }),
  team: Optional(toOne("team")),
});

export const Roster = Type.Object({
  type: Type.Literal("roster"),
  id: Id,
  attributes: Type.Object({ ...rosterAttributes, stats: rosterStats }),
  relationships: rosterRelationships,
});

/** An additional roster in a record. Members may be missing, but those present must be valid. */
export const ExtraRoster = Type.Object({
  type: Type.Literal("roster"),
  id: Id,
  attributes: Optional(
    Type.Partial(Type.Object({ ...rosterAttributes, stats: Type.Partial(rosterStats) })),
  ),
  relationships: Optional(Type.Partial(rosterRelationships)),
});

const actor = text("Name of the character played.");
const participantStats = Type.Object({
  assists: count("Assists."),
  crystalMineCaptures: count("Captures of the crystal mine."),
  deaths: count("Deaths."),
  farm: decimal("Farm score."),
});
const participantRelationships = Optional(Type.Object({ player: Optional(toOne("player")) }));

export const Participant = Type.Object({
  type: Type.Literal("participant"),
  id: Id,
  attributes: Type.Object({ actor, stats: participantStats }),
  relationships: participantRelationships,
});

/** An additional participant in a record, e.g. a spectator. */
export const ExtraParticipant = Type.Object({
  type: Type.Literal("participant"),
  id: Id,
  attributes: Optional(Type.Partial(Type.Object({ actor, stats: Type.Partial(participantStats) }))),
  relationships: participantRelationships,
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
export const Player = Type.Object({
  type: Type.Literal("player"),
  id: Id,
  attributes: Type.Object({ ...playerAttributes, stats: Type.Object(playerStats) }),
});

/** A player in a record: stats may be missing. */
export const CarriedPlayer = Type.Object({
  type: Type.Literal("player"),
  id: Id,
  attributes: Type.Object({
    ...playerAttributes,
    stats: Optional(Type.Partial(Type.Object(playerStats))),
  }),
});

export const Team = Type.Object({
  type: Type.Literal("team"),
  id: Id,
  attributes: Type.Object({ name: name("The team's tag in the game."), shardId: Shard }),
});

/** Any other resource in a record. */
export const Other = Type.Object({
  type: Type.String({ pattern: ID_PATTERN }),
  id: Id,
  attributes: Optional(Type.Object({})),
  relationships: Optional(Type.Record(Type.String(), Type.Object({}))),
});
