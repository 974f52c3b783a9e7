/**
 * In charge of what JSON:API asks of every resource object, whatever its type. Records are served
 * as they came: what is no resource object would make the replies no JSON:API either. (Other than
 * "type" and "id", names of attributes and relationships are left to the records, which may have grown
 * before JSON:API.)
 */

import { isObject, isReference, type JsonObject, keyOf, type Resource } from "../domain/json.ts";

const MEMBERS = new Set(["type", "id", "attributes", "relationships", "links", "meta"]);
const RELATIONSHIP_MEMBERS = new Set(["data", "links", "meta"]);
const REFERENCE_MEMBERS = new Set(["type", "id", "meta"]);

/** Attributes and relationships share one namespace with these members of a resource. */
const RESERVED = ["type", "id"];

/** What these name, and how often, is checked with the interface's own promises. */
const PROMISED = new Set(["rosters", "participants", "team", "player"]);

const URI_REFERENCE = /^(?:[\w.~!$&'()*+,;=:@/?#-]|%[0-9A-Fa-f]{2})*$/;

/** One sentence for each thing that JSON:API does not allow. */
export function structureProblems(resource: Resource): string[] {
  const problems: string[] = [];
  for (const member in resource) {
    if (MEMBERS.has(member)) continue;
    problems.push(`a resource has no member "${member}": put it into attributes`);
  }
  const { attributes, relationships } = resource;
  if (isObject(relationships)) {
    for (const name in relationships) {
      if (isObject(attributes) && Object.hasOwn(attributes, name)) {
        problems.push(`"${name}" is both an attribute and a relationship: rename one of them`);
      }
      checkRelationship(name, relationships[name], problems);
    }
  } else if (relationships !== undefined) problems.push("relationships must be an object");
  for (const name of RESERVED) {
    checkReserved("attributes", attributes, name, problems);
    checkReserved("relationships", relationships, name, problems);
  }
  checkExtras("", resource, problems);
  return problems;
}

function checkReserved(where: string, fields: unknown, name: string, problems: string[]): void {
  if (!isObject(fields) || !Object.hasOwn(fields, name)) return;
  problems.push(
    `${where}.${name} is not allowed, because JSON:API reserves the names "type" and "id": rename it`,
  );
}

function checkRelationship(name: string, relationship: unknown, problems: string[]): void {
  const where = `relationships.${name}`;
  if (!isObject(relationship)) {
    if (!PROMISED.has(name)) problems.push(`${where} must be an object with the member "data"`);
    return;
  }
  const members = Object.keys(relationship);
  if (members.some((member) => !RELATIONSHIP_MEMBERS.has(member))) {
    problems.push(`${where} must have no members but "data", "links" and "meta"`);
  }
  checkExtras(`${where}.`, relationship, problems);
  const { data } = relationship;
  const references = Array.isArray(data) ? data : [data];
  if (references.some((one) => isObject(one) && hasMore(one))) {
    problems.push(`${where}.data must name resources by "type" and "id", with nothing but "meta"`);
  }
  if (PROMISED.has(name)) return;
  if (members.length === 0) problems.push(`${where} must have "data", "links" or "meta"`);
  if (data === undefined || data === null) return;
  if (!references.every(isReference)) {
    problems.push(
      `${where}.data must be a reference with "type" and "id", a list of them, or null`,
    );
  } else if (new Set(references.map(keyOf)).size < references.length) {
    problems.push(`${where}.data names a resource more than once: name it once`);
  }
}

function hasMore(reference: JsonObject): boolean {
  for (const name in reference) if (!REFERENCE_MEMBERS.has(name)) return true;
  return reference.meta !== undefined && !isObject(reference.meta);
}

/** The members that objects of several kinds may have. */
function checkExtras(where: string, { links, meta }: Extras, problems: string[]): void {
  if (meta !== undefined && !isObject(meta)) problems.push(`${where}meta must be an object`);
  if (links === undefined) return;
  if (!isObject(links) || !Object.values(links).every(isLink)) {
    problems.push(`${where}links must be an object of links, each an address or {"href": address}`);
  }
}

interface Extras {
  links?: unknown;
  meta?: unknown;
  [member: string]: unknown;
}

function isLink(value: unknown): boolean {
  const address = isObject(value) ? value.href : value;
  if (isObject(value) && value.meta !== undefined && !isObject(value.meta)) return false;
  return typeof address === "string" && URI_REFERENCE.test(address);
}
