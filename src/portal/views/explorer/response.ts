/** Parses a response document into linked resources. Any part of it may be missing. */

import {
  isObject,
  type Json,
  type JsonObject,
  keyOf,
  type Reference,
  type Relationship,
  references,
} from "../../../domain/json.ts";
import { numberIn } from "../../format.ts";

/** A resource in a response. `fields` may have removed any part of it. */
export interface Resource {
  type: string;
  id: string;
  attributes: JsonObject;
  stats: JsonObject;
  relationships: { [name: string]: Relationship };
}

export interface ParsedResponse {
  /** The requested records. */
  records: readonly Resource[];
  isList: boolean;
  /** The resources of a relationship that the response includes. */
  related(resource: Resource, relationship: string): Resource[];
  links: { first?: string; prev?: string; next?: string };
  /** The time window that was searched. */
  window: { start: string; end: string } | undefined;
  /** How many more records the filter found; 0 if all are here. */
  omitted: number;
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
    links: stringsIn(links),
    window: windowOf(stringsIn(isObject(meta) ? meta.window : undefined)),
    omitted: (isObject(meta) && numberIn(meta, "omitted")) || 0,
  };
}

/** The string members of an object. */
function stringsIn(value: Json | undefined): { [name: string]: string } {
  if (!isObject(value)) return {};
  const strings = Object.entries(value).filter((entry): entry is [string, string] => {
    return typeof entry[1] === "string";
  });
  return Object.fromEntries(strings);
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

/** Field names for `fields[TYPE]` that appear in the response, by type. */
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
