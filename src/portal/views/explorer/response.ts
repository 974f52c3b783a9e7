/** In charge of what a response is about: its resources, found by their references, whatever was left out. */

import {
  isObject,
  type Json,
  type JsonObject,
  keyOf,
  type Reference,
  type Relationship,
  references,
} from "../../../domain/json.ts";

/** A resource as a response carries it: `fields` may have left any resource of it out. */
export interface Resource {
  type: string;
  id: string;
  attributes: JsonObject;
  stats: JsonObject;
  relationships: { [name: string]: Relationship };
}

export interface ParsedResponse {
  /** The records asked for. */
  records: readonly Resource[];
  isList: boolean;
  /** The resources that a relationship leads to, as far as the response holds them. */
  related(resource: Resource, relationship: string): Resource[];
  links: { first?: string; prev?: string; next?: string };
  /** The times that were searched. */
  window: { start: string; end: string } | undefined;
}

export function parseResponse(document: unknown): ParsedResponse {
  const { data, included, links, meta } = isObject(document) ? document : ({} as JsonObject);
  const found = new Map<string, Resource>();
  for (const one of Array.isArray(included) ? included : []) {
    const resource = resourceOf(one);
    if (resource) found.set(keyOf(resource), resource);
  }
  return {
    records: (Array.isArray(data) ? data : [data])
      .map(resourceOf)
      .filter((resource) => resource !== undefined),
    isList: Array.isArray(data),
    related: ({ relationships }, name) =>
      references(relationships[name])
        .map((reference: Reference) => found.get(keyOf(reference)))
        .filter((resource) => resource !== undefined),
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

const windowOf = ({ start, end }: { [name: string]: string }): ParsedResponse["window"] =>
  start !== undefined && end !== undefined ? { start, end } : undefined;

function resourceOf(value: Json | undefined): Resource | undefined {
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
      : {}) as Resource["relationships"],
  };
}

/** The names that `fields[TYPE]` may take, as far as the response shows them. */
export function fieldNames(document: unknown): ReadonlyMap<string, ReadonlySet<string>> {
  const names = new Map<string, Set<string>>();
  const { data, included } = isObject(document) ? document : ({} as JsonObject);
  for (const one of [data, included].flat()) {
    const resource = resourceOf(one);
    if (!resource) continue;
    const known = names.get(resource.type) ?? new Set();
    names.set(resource.type, known);
    for (const name in resource.attributes) known.add(name);
    for (const name in resource.relationships) known.add(name);
  }
  return names;
}
