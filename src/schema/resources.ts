/**
 * In charge of the fields of the resources: the keys that callers can count on, with their types
 * and meaning. Ingest checks records against these; the OpenAPI document describes replies by them.
 * All attributes and stats are open sets: a resource may carry more.
 */

import Type from "typebox";
import { ID_PATTERN, SHARD_PATTERN } from "../domain/identifiers.ts";

export const MAX_NAME_LENGTH = 256;
/** Indexed texts: a store may be unable to keep U+0000 in them. */
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

/** One of the two sides of a match. */
export const Roster = Type.Object({
  type: Type.Literal("roster"),
  id: Id,
  attributes: Type.Object({ ...rosterAttributes, stats: rosterStats }),
  relationships: rosterRelationships,
});

/** A roster that a record carries besides: what it has is as it should be, but it may have less. */
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

/** A member of one of the two rosters. */
export const Participant = Type.Object({
  type: Type.Literal("participant"),
  id: Id,
  attributes: Type.Object({ actor, stats: participantStats }),
  relationships: participantRelationships,
});

/** A participant that a record carries besides, such as a spectator. */
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

/** A player as it is served: what its latest match carried, completed. */
export const Player = Type.Object({
  type: Type.Literal("player"),
  id: Id,
  attributes: Type.Object({ ...playerAttributes, stats: Type.Object(playerStats) }),
});

/** A player as a record carries it: of the stats, any may be missing. */
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

/** Any resource a record may carry beside those. */
export const Other = Type.Object({
  type: Type.String({ pattern: ID_PATTERN }),
  id: Id,
  attributes: Optional(Type.Object({})),
  relationships: Optional(Type.Record(Type.String(), Type.Object({}))),
});
