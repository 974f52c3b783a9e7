/** In charge of what a reply is about: its resources, found by their references, whatever was left out. */

import {
  isObject,
  type Json,
  type JsonObject,
  keyOf,
  type Reference,
  type Relationship,
  references,
} from "../../../domain/json.ts";

/** A resource as a reply carries it: `fields` may have left any part of it out. */
export interface Part {
  type: string;
  id: string;
  attributes: JsonObject;
  stats: JsonObject;
  relationships: { [name: string]: Relationship };
}

export interface Reply {
  /** The records asked for. */
  parts: readonly Part[];
  isList: boolean;
  /** The resources that a relationship leads to, as far as the reply holds them. */
  related(part: Part, relationship: string): Part[];
  links: { first?: string; prev?: string; next?: string };
  /** The times that were searched. */
  window: { start: string; end: string } | undefined;
}

export function readReply(document: unknown): Reply {
  const { data, included, links, meta } = isObject(document) ? document : ({} as JsonObject);
  const found = new Map<string, Part>();
  for (const one of Array.isArray(included) ? included : []) {
    const part = partOf(one);
    if (part) found.set(keyOf(part), part);
  }
  return {
    parts: (Array.isArray(data) ? data : [data]).map(partOf).filter((part) => part !== undefined),
    isList: Array.isArray(data),
    related: ({ relationships }, name) =>
      references(relationships[name])
        .map((reference: Reference) => found.get(keyOf(reference)))
        .filter((part) => part !== undefined),
    links: textsIn(links),
    window: windowOf(textsIn(isObject(meta) ? meta.window : undefined)),
  };
}

/** The members of an object that are texts. */
function textsIn(value: Json | undefined): { [name: string]: string } {
  if (!isObject(value)) return {};
  const texts = Object.entries(value).filter((entry): entry is [string, string] => {
    return typeof entry[1] === "string";
  });
  return Object.fromEntries(texts);
}

const windowOf = ({ start, end }: { [name: string]: string }): Reply["window"] =>
  start !== undefined && end !== undefined ? { start, end } : undefined;

function partOf(value: Json | undefined): Part | undefined {
  if (!isObject(value) || typeof value.type !== "string" || typeof value.id !== "string") {
    return undefined;
  }
  const attributes = isObject(value.attributes) ? value.attributes : {};
  return {
    type: value.type,
    id: value.id,
    attributes,
    stats: isObject(attributes.stats) ? attributes.stats : {},
    relationships: (isObject(value.relationships)
      ? value.relationships
      : {}) as Part["relationships"],
  };
}

/** The names that `fields[TYPE]` may take, as far as the reply shows them. */
export function fieldNames(document: unknown): ReadonlyMap<string, ReadonlySet<string>> {
  const names = new Map<string, Set<string>>();
  const { data, included } = isObject(document) ? document : ({} as JsonObject);
  for (const one of [data, included].flat()) {
    const part = partOf(one);
    if (!part) continue;
    const known = names.get(part.type) ?? new Set();
    names.set(part.type, known);
    for (const name in part.attributes) known.add(name);
    for (const name in part.relationships) known.add(name);
  }
  return names;
}
