/** In charge of writing JSON in one canonical form, so that equal values give equal bytes. */

import type { Json, JsonObject, Resource } from "../domain/json.ts";

const RESOURCE_MEMBERS = ["type", "id", "attributes", "relationships"];

/** A resource: the members everyone looks for first, then any others in order. */
export function canonicalResource(resource: Resource): string {
  return JSON.stringify(orderedResource(resource));
}

/** The resources one after another, with commas between them. */
export function canonicalList(resources: Resource[]): string {
  return JSON.stringify(resources.map(orderedResource)).slice(1, -1);
}

function orderedResource(resource: Resource): JsonObject {
  const others = Object.keys(resource).filter((member) => !RESOURCE_MEMBERS.includes(member));
  const members = RESOURCE_MEMBERS.filter((member) => resource[member] !== undefined);
  return pick(resource as unknown as JsonObject, [...members, ...others.sort()]);
}

/** The members of every object in an order that depends on their names alone. */
function ordered(value: Json): Json {
  if (typeof value !== "object" || value === null) return value;
  return Array.isArray(value) ? value.map(ordered) : pick(value, inOrder(Object.keys(value)));
}

/** Records have few shapes and many of each: the order found for a shape last time is kept. */
const known = new Map<string, { names: string[]; sorted: string[] }>();
const MOST_KNOWN = 1000;

function inOrder(names: string[]): string[] {
  if (names.length < 2) return names;
  const shape = `${names.length} ${names[0]} ${names[names.length - 1]}`;
  const last = known.get(shape);
  if (last?.names.every((name, index) => name === names[index])) return last.sorted;
  const sorted = names.toSorted();
  if (known.size >= MOST_KNOWN) known.clear();
  known.set(shape, { names, sorted });
  return sorted;
}

/**
 * A copy with its members in this order. (JavaScript moves names that are whole numbers to the
 * front, in numeric order; that too depends on the names alone.)
 */
function pick(from: JsonObject, names: string[]): JsonObject {
  const copy: JsonObject = {};
  for (const name of names) {
    const value = ordered(from[name]!);
    if (name === "__proto__") Object.defineProperty(copy, name, { value, enumerable: true });
    else copy[name] = value;
  }
  return copy;
}
