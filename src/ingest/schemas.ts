/** In charge of the shape of incoming resources: checks them against their schemas, in sentences. */

import { Compile } from "typebox/compile";
import { Settings } from "typebox/system";
import {
  CarriedPlayer,
  ExtraParticipant,
  ExtraRoster,
  LONGEST_NAME,
  Match,
  NO_NUL,
  Other,
  Participant,
  Roster,
  Team,
} from "../schema/resources.ts";

// Every problem of a record is reported at once; the usual limit is eight of each resource.
Settings.Set({ maxErrors: 1000 });

const validators = {
  match: Compile(Match),
  roster: Compile(Roster),
  participant: Compile(Participant),
  extraRoster: Compile(ExtraRoster),
  extraParticipant: Compile(ExtraParticipant),
  player: Compile(CarriedPlayer),
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
