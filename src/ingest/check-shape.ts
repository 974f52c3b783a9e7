/** Checks one resource of a record: its schema, the rules of JSON:API, and values that cannot be stored. */

import {
  isObject,
  isReference,
  type Json,
  type JsonObject,
  keyOf,
  type Resource,
} from "../domain/json.ts";
import { missingMembers, unknownMembers, type Violation, validate } from "../schema/json-schema.ts";
import {
  CarriedPlayer,
  ExtraParticipant,
  ExtraRoster,
  MAX_NAME_LENGTH,
  Match,
  NO_NUL,
  Other,
  Participant,
  Roster,
  Team,
} from "../schema/resources.ts";
import { INTEGER } from "../schema/shard-state.ts";
import { isInexact } from "./parse-json.ts";
import { ENOUGH_REASONS } from "./reject-reasons.ts";

const SCHEMAS = {
  match: Match,
  roster: Roster,
  participant: Participant,
  extraRoster: ExtraRoster,
  extraParticipant: ExtraParticipant,
  player: CarriedPlayer,
  team: Team,
  other: Other,
};

export type Kind = keyof typeof SCHEMAS;

/**
 * The problems of a resource, one sentence each. `unsafe` is the same resource if it may contain values
 * that cannot be stored.
 */
export function resourceProblems(
  kind: Kind,
  resource: Resource,
  unsafe: Resource | undefined,
): string[] {
  const problems = validate(SCHEMAS[kind], resource)
    // Numbers that are too large are reported by checkValues.
    .filter(({ value }) => !isInexact(value))
    .map(sentence);
  checkStructure(resource, problems);
  if (unsafe) checkValues(unsafe as JsonObject, "", 0, problems);
  return problems;
}

const TYPE_NAMES = {
  integer: "an integer",
  number: "a number",
  string: "a string",
  object: "an object",
  array: "an array",
};

export function sentence({ keyword, schema, value, path }: Violation): string {
  const where = path || "the resource";
  switch (keyword) {
    case "required":
      return `${where} is missing ${missingMembers(schema, value as object).join(", ")}`;
    case "type":
      return `${where} must be ${TYPE_NAMES[schema.type!]}`;
    case "const":
      return `${where} must be "${schema.const}"`;
    case "enum":
      return `${where} must be "true" or "false"`;
    case "pattern":
      if (schema.pattern === INTEGER) return `${where} must be an integer, written as a string`;
      if (schema.pattern === NO_NUL) return `${where} must not contain the character U+0000`;
      return /shard(Id)?$/.test(where)
        ? `${where} must be 1 to 32 characters from a-z, 0-9 and "-"`
        : `${where} must be 1 to 64 characters from A-Z, a-z, 0-9, "_" and "-"`;
    case "minItems":
    case "maxItems":
      return `${where} must contain exactly two rosters`;
    case "additionalProperties":
      return `${where} must not have ${unknownMembers(schema, value as object).join(", ")}`;
    case "maximum":
      return `${where} must not be more than ${schema.maximum}`;
    case "minimum":
      return `${where} must not be negative`;
    case "minLength":
      return `${where} must not be empty`;
    default:
      return `${where} must not be longer than ${MAX_NAME_LENGTH} characters`;
  }
}

const MEMBERS = new Set(["type", "id", "attributes", "relationships", "links", "meta"]);
const RELATIONSHIP_MEMBERS = new Set(["data", "links", "meta"]);
const REFERENCE_MEMBERS = new Set(["type", "id", "meta"]);

/** Attributes and relationships share one namespace with these members of a resource. */
const RESERVED = ["type", "id"];

/** The references of these are checked in validate.ts. */
const PROMISED = new Set(["rosters", "participants", "team", "player"]);

const URI_REFERENCE = /^(?:[\w.~!$&'()*+,;=:@/?#-]|%[0-9A-Fa-f]{2})*$/;

/**
 * The rules of JSON:API for every resource object. Records are served as received, so anything else would
 * make invalid responses. (Names of attributes and relationships other than "type" and "id" are not
 * checked: records may be older than JSON:API.)
 */
function checkStructure(resource: Resource, problems: string[]): void {
  for (const member in resource) {
    if (MEMBERS.has(member)) continue;
    problems.push(`unknown member "${member}": move it into attributes`);
  }
  const { attributes, relationships } = resource;
  if (isObject(relationships)) {
    for (const name in relationships) {
      if (isObject(attributes) && Object.hasOwn(attributes, name)) {
        problems.push(`"${name}" is both an attribute and a relationship: rename one of the two`);
      }
      checkRelationship(name, relationships[name], problems);
    }
  } else if (relationships !== undefined) problems.push("relationships must be an object");
  for (const name of RESERVED) {
    checkReserved("attributes", attributes, name, problems);
    checkReserved("relationships", relationships, name, problems);
  }
  checkExtras("", resource, problems);
}

function checkReserved(where: string, fields: unknown, name: string, problems: string[]): void {
  if (!isObject(fields) || !Object.hasOwn(fields, name)) return;
  problems.push(
    `${where}.${name} is not allowed: JSON:API reserves the names "type" and "id"; rename it`,
  );
}

export function checkRelationship(name: string, relationship: unknown, problems: string[]): void {
  const where = `relationships.${name}`;
  if (!isObject(relationship)) {
    if (!PROMISED.has(name)) problems.push(`${where} must be an object with a "data" member`);
    return;
  }
  const members = Object.keys(relationship);
  if (members.some((member) => !RELATIONSHIP_MEMBERS.has(member))) {
    problems.push(`${where} may only have the members "data", "links" and "meta"`);
  }
  checkExtras(`${where}.`, relationship, problems);
  const { data } = relationship;
  const references = Array.isArray(data) ? data : [data];
  if (references.some((one) => isObject(one) && hasMore(one))) {
    problems.push(`${where}.data: a reference may only have the members "type", "id" and "meta"`);
  }
  if (PROMISED.has(name)) return;
  if (members.length === 0) problems.push(`${where} must have "data", "links" or "meta"`);
  if (data === undefined || data === null) return;
  if (!references.every(isReference)) {
    problems.push(
      `${where}.data must be a reference with "type" and "id", an array of references, or null`,
    );
  } else if (new Set(references.map(keyOf)).size < references.length) {
    problems.push(`${where}.data references a resource more than once: reference it once`);
  }
}

function hasMore(reference: JsonObject): boolean {
  for (const name in reference) if (!REFERENCE_MEMBERS.has(name)) return true;
  return reference.meta !== undefined && !isObject(reference.meta);
}

/** The members that objects of several kinds may have. */
function checkExtras(
  where: string,
  { links, meta }: { [member: string]: unknown },
  problems: string[],
): void {
  if (meta !== undefined && !isObject(meta)) problems.push(`${where}meta must be an object`);
  if (links === undefined) return;
  if (!isObject(links) || !Object.values(links).every(isLink)) {
    problems.push(`${where}links must be an object whose values are URLs or {"href": URL}`);
  }
}

function isLink(value: unknown): boolean {
  const address = isObject(value) ? value.href : value;
  if (isObject(value) && value.meta !== undefined && !isObject(value.meta)) return false;
  return typeof address === "string" && URI_REFERENCE.test(address);
}

const MAX_DEPTH = 64;

/** Finds numbers that would lose precision, lone surrogates, and nesting that is too deep. */
function checkValues(value: Json, path: string, depth: number, problems: string[]): void {
  if (problems.length >= ENOUGH_REASONS) return;
  if (isInexact(value)) {
    problems.push(
      `${path} is a number beyond 2^53, which would lose precision: send it as a string`,
    );
  } else if (typeof value === "string" && !value.isWellFormed()) {
    problems.push(`${path} contains a lone surrogate: fix the text`);
  } else if (typeof value === "object" && value !== null) {
    if (depth === MAX_DEPTH) {
      const start = path.length > 60 ? `${path.slice(0, 60)}…` : path;
      problems.push(`${start} is nested deeper than ${MAX_DEPTH} levels: flatten it`);
      return;
    }
    for (const [name, member] of Object.entries(value)) {
      if (!name.isWellFormed()) {
        problems.push(`${path} has a member whose name contains a lone surrogate: fix the name`);
      }
      checkValues(member, path === "" ? name : `${path}.${name}`, depth + 1, problems);
    }
  }
}
