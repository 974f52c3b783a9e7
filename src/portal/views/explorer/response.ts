/** Parses a response document into linked resources. Any part of it may be missing. */

import {
  isObject,
  type Json,
  type JsonObject,
  keyOf,
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
  /** As received. */
  raw: JsonObject;
  /** The resources of a relationship; those that the response does not include have only type and id. */
  relation(name: string): Resource[];
}

export interface ParsedResponse {
  /** The requested records. */
  records: readonly Resource[];
  isList: boolean;
  links: { first?: string; prev?: string; next?: string };
  /** The time window that was searched. */
  window: { start: string; end: string } | undefined;
  /** How many more records the filter found; 0 if all are here. */
  omitted: number;
}

export function parseResponse(document: unknown): ParsedResponse {
  const { data, included, links, meta } = isObject(document) ? document : ({} as JsonObject);
  const found = new Map<string, Resource>();
  const resources = (values: Json | undefined) =>
    [values].flat().flatMap((value) => resourceOf(value as Json, found) ?? []);
  for (const one of resources(included)) found.set(keyOf(one), one);
  return {
    records: resources(data),
    isList: Array.isArray(data),
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

function resourceOf(
  value: Json | undefined,
  found: ReadonlyMap<string, Resource> = new Map(),
): Resource | undefined {
  if (!isObject(value) || typeof value.type !== "string" || typeof value.id !== "string") {
    return undefined;
  }
  const attributes = isObject(value.attributes) ? value.attributes : {};
  const relationships = (
    isObject(value.relationships) ? value.relationships : {}
  ) as Resource["relationships"];
  return {
    type: value.type,
    id: value.id,
    attributes,
    stats: isObject(attributes.stats) ? attributes.stats : {},
    relationships,
    raw: value,
    relation: (name) =>
      references(relationships[name]).map(
        (one) => found.get(keyOf(one)) ?? resourceOf({ type: one.type, id: one.id })!,
      ),
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
