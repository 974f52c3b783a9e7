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
import { numberIn, textIn } from "../../format.ts";

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
  /** The resources of a relationship that the response includes. */
  related(resource: Resource, relationship: string): Resource[];
  links: { prev: string | undefined; next: string | undefined };
  /** The time window that was searched. */
  window: { start: string; end: string } | undefined;
  /** How many more records the filter found; 0 if all are here. */
  omitted: number;
}

export function parseResponse(document: unknown): ParsedResponse {
  const { data, included, ...rest } = objectOf(document);
  const [links, meta] = [objectOf(rest.links), objectOf(rest.meta)];
  const { start, end } = objectOf(meta.window);
  const found = new Map<string, Resource>();
  for (const one of Array.isArray(included) ? included : []) {
    const resource = resourceOf(one);
    if (resource) found.set(keyOf(resource), resource);
  }
  return {
    records: (Array.isArray(data) ? data : [data])
      .map(resourceOf)
      .filter((resource) => resource !== undefined),
    related: ({ relationships }, name) =>
      references(relationships[name])
        .map((reference: Reference) => found.get(keyOf(reference)))
        .filter((resource) => resource !== undefined),
    links: { prev: textIn(links, "prev"), next: textIn(links, "next") },
    window: typeof start === "string" && typeof end === "string" ? { start, end } : undefined,
    omitted: numberIn(meta, "omitted") ?? 0,
  };
}

const objectOf = (value: unknown): JsonObject => (isObject(value) ? value : {});

function resourceOf(value: Json | undefined): Resource | undefined {
  const { type, id, ...rest } = objectOf(value);
  if (typeof type !== "string" || typeof id !== "string") return undefined;
  const attributes = objectOf(rest.attributes);
  const relationships = objectOf(rest.relationships) as Resource["relationships"];
  return { type, id, attributes, stats: objectOf(attributes.stats), relationships };
}

/** Field names for `fields[TYPE]` that appear in the response, by type. */
export function fieldNames(document: unknown): ReadonlyMap<string, ReadonlySet<string>> {
  const names = new Map<string, Set<string>>();
  const { data, included } = objectOf(document);
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
