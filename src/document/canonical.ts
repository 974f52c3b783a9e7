/** Writes JSON in one canonical form, so that equal values give equal bytes. */

import type { Json, JsonObject, Resource } from "../domain/json.ts";

const FIRST_MEMBERS: ReadonlySet<string> = new Set(["type", "id", "attributes", "relationships"]);

/** A resource: the members everyone looks for first, then any others in order. */
export function canonicalResource(resource: Resource): string {
  return JSON.stringify(orderedResource(resource));
}

/** The resources one after another, with commas between them. */
export function canonicalList(resources: readonly Resource[]): string {
  // One by one: what fits into the engine's small buffer is written at twice the speed.
  let list = "";
  for (const resource of resources) {
    list += list === "" ? canonicalResource(resource) : `,${canonicalResource(resource)}`;
  }
  return list;
}

function orderedResource(resource: Resource): JsonObject {
  const { type, id, attributes, relationships } = resource;
  const copy: JsonObject = { type, id };
  if (attributes !== undefined) copy.attributes = ordered(attributes);
  if (relationships !== undefined) copy.relationships = ordered(relationships);
  const others: string[] = [];
  for (const name in resource) if (!FIRST_MEMBERS.has(name)) others.push(name);
  for (const name of others.sort()) put(copy, name, ordered(resource[name] as Json));
  return copy;
}

/**
 * The value with the members of every object in an order that depends on their names alone: itself
 * where they are in that order already, else a copy.
 */
function ordered(value: Json): Json {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return orderedItems(value);
  if (!isInOrder(value)) return reordered(value);
  let copy: JsonObject | undefined;
  for (const name in value) {
    const member = value[name]!;
    const settled = typeof member === "object" ? ordered(member) : member;
    if (settled !== member) copy ??= { ...value };
    if (copy !== undefined) put(copy, name, settled);
  }
  return copy ?? value;
}

/** Looks at first letters first, since comparing texts is slower. */
function isInOrder(value: JsonObject): boolean {
  let last = "";
  let lastLetter = -1;
  for (const name in value) {
    const letter = name.charCodeAt(0);
    if (!(letter > lastLetter) && name < last) return false;
    last = name;
    lastLetter = letter;
  }
  return true;
}

function reordered(value: JsonObject): JsonObject {
  const names = inOrder(Object.keys(value));
  const copy: JsonObject = {};
  for (let at = 0; at < names.length; at++) {
    const name = names[at]!;
    const member = value[name]!;
    put(copy, name, typeof member === "object" ? ordered(member) : member);
  }
  return copy;
}

function orderedItems(list: Json[]): Json[] {
  let copy: Json[] | undefined;
  for (let at = 0; at < list.length; at++) {
    const settled = ordered(list[at]!);
    if (settled === list[at]) continue;
    copy ??= [...list];
    copy[at] = settled;
  }
  return copy ?? list;
}

/**
 * Members come out in the order in which they are put. (But JavaScript moves names that are whole
 * numbers to the front, in numeric order; that too depends on the names alone.)
 */
function put(object: JsonObject, name: string, value: Json): void {
  if (name === "__proto__") Object.defineProperty(object, name, { value, enumerable: true });
  else object[name] = value;
}

/** Records have few shapes and many of each: the orders found are remembered, by first name. */
const orders = new Map<string, { names: string[]; sorted: string[] }[]>();
const MOST_FIRST_NAMES = 500;
const MOST_ALIKE = 32;

function inOrder(names: string[]): string[] {
  const first = names[0]!;
  const alike = orders.get(first) ?? [];
  for (let at = 0; at < alike.length; at++) {
    const { names: known, sorted } = alike[at]!;
    if (areEqual(known, names)) return sorted;
  }
  const sorted = names.toSorted();
  if (alike.length >= MOST_ALIKE) alike.splice(0, MOST_ALIKE / 2);
  alike.push({ names, sorted });
  if (orders.size >= MOST_FIRST_NAMES) orders.clear();
  orders.set(first, alike);
  return sorted;
}

function areEqual(one: readonly string[], other: readonly string[]): boolean {
  if (one.length !== other.length) return false;
  // From the end: shapes that begin alike mostly differ there.
  for (let at = one.length - 1; at >= 0; at--) if (one[at] !== other[at]) return false;
  return true;
}
