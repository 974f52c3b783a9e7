/** In charge of the shape of incoming resources: the keys the interface names, with their types. */

import Type from "typebox";
import { Compile } from "typebox/compile";

const LONGEST_NAME = 256;

const Id = Type.String({ pattern: "^[A-Za-z0-9_-]{1,64}$" });
/** Indexed texts: a store may be unable to keep U+0000 in them. */
const NO_NUL = "^[^\\u0000]*$";
const Name = Type.String({ minLength: 1, maxLength: LONGEST_NAME, pattern: NO_NUL });
const Label = Type.String({ maxLength: LONGEST_NAME, pattern: NO_NUL });
const Shard = Type.String({ pattern: "^[a-z0-9-]{1,32}$" });
const Count = Type.Integer();
const Optional = Type.Optional;

const reference = (type: string) => Type.Object({ type: Type.Literal(type), id: Id });
const toOne = (type: string) => Type.Object({ data: reference(type) });

const Match = Type.Object({
  type: Type.Literal("match"),
  id: Id,
  attributes: Type.Object({
    createdAt: Type.String(),
    duration: Type.Integer({ minimum: 0 }),
    gameMode: Label,
    patchVersion: Label,
    shardId: Shard,
    stats: Type.Object({ endGameReason: Type.String(), queue: Type.String() }),
  }),
  relationships: Type.Object({
    rosters: Type.Object({ data: Type.Array(reference("roster"), { minItems: 2, maxItems: 2 }) }),
  }),
});

const Roster = Type.Object({
  type: Type.Literal("roster"),
  id: Id,
  attributes: Type.Object({
    shardId: Shard,
    stats: Type.Object({ acesEarned: Count, gold: Count }),
    won: Type.Enum(["true", "false"]),
  }),
  relationships: Type.Object({
    participants: Type.Object({ data: Type.Array(reference("participant")) }),
    team: Optional(toOne("team")),
  }),
});

const Participant = Type.Object({
  type: Type.Literal("participant"),
  id: Id,
  attributes: Type.Object({
    actor: Type.String(),
    stats: Type.Object({
      assists: Count,
      crystalMineCaptures: Count,
      deaths: Count,
      farm: Type.Number(),
    }),
  }),
  relationships: Optional(Type.Object({ player: Optional(toOne("player")) })),
});

const Player = Type.Object({
  type: Type.Literal("player"),
  id: Id,
  attributes: Type.Object({
    name: Name,
    patchVersion: Type.String(),
    shardId: Shard,
    titleID: Type.String(),
    stats: Optional(
      Type.Object({
        winStreak: Optional(Count),
        lossStreak: Optional(Count),
        lifetimeGold: Optional(Type.Number()),
        played: Optional(Count),
        wins: Optional(Count),
        played_ranked: Optional(Count),
      }),
    ),
  }),
});

const Team = Type.Object({
  type: Type.Literal("team"),
  id: Id,
  attributes: Type.Object({ name: Name, shardId: Shard }),
});

/** Any resource a record may carry beside those. */
const Other = Type.Object({
  type: Type.String({ pattern: "^[A-Za-z0-9_-]{1,64}$" }),
  id: Id,
  attributes: Optional(Type.Object({})),
  relationships: Optional(Type.Record(Type.String(), Type.Object({}))),
});

const validators = {
  match: Compile(Match),
  roster: Compile(Roster),
  participant: Compile(Participant),
  player: Compile(Player),
  team: Compile(Team),
  other: Compile(Other),
};

export type Kind = keyof typeof validators;

/** What is wrong with the shape of a resource, one sentence each. */
export function shapeProblems(kind: Kind, resource: unknown): string[] {
  const validator = validators[kind];
  return validator.Check(resource) ? [] : validator.Errors(resource).map(sentence);
}

interface ShapeError {
  keyword: string;
  instancePath: string;
  params: object;
  message: string;
}

const TYPE_NAMES: Record<string, string> = {
  integer: "a whole number",
  number: "a number",
  string: "a string",
  object: "an object",
  array: "a list",
  boolean: "true or false",
};

function sentence(error: ShapeError): string {
  const where = error.instancePath.slice(1).replaceAll("/", ".") || "the resource";
  const params = error.params as Record<string, unknown>;
  switch (error.keyword) {
    case "required":
      return `${where} needs ${(params.requiredProperties as string[]).join(", ")}`;
    case "type":
      return `${where} must be ${TYPE_NAMES[params.type as string] ?? params.type}`;
    case "const":
      return `${where} must be "${params.allowedValue}"`;
    case "enum":
      return `${where} must be "true" or "false"`;
    case "pattern":
      if (params.pattern === NO_NUL) return `${where} must not contain the character U+0000`;
      return where.endsWith("shardId")
        ? `${where} must be 1 to 32 of a-z, 0-9 and "-"`
        : `${where} must be 1 to 64 of A-Z, a-z, 0-9, "_" and "-"`;
    case "minItems":
    case "maxItems":
      return `${where} must list exactly two rosters`;
    case "minimum":
      return `${where} must not be negative`;
    case "minLength":
      return `${where} must not be empty`;
    case "maxLength":
      return `${where} must not be longer than ${LONGEST_NAME} characters`;
    default:
      return `${where} ${error.message}`;
  }
}
