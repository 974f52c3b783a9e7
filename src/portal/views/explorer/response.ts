/** Parses a response document into linked resources. Any part of it may be missing. */

import {
  isObject,
  type Json,
  type JsonObject,
  keyOf,
  type Relationship,
  references,
} from "../../../domain/json.ts";
import { numberIn, textIn } from "../../format.ts";
import type { Readable } from "../../match.ts";

/** A resource in a response. `fields` may have removed any part of it. */
export interface Resource extends Readable {
  stats: JsonObject;
  relationships: { [name: string]: Relationship };
  /** The resources of a relationship; those that the response does not include have only type and id. */
  relation(name: string): Resource[];
}

export type ParsedResponse = ReturnType<typeof parseResponse>;

export function parseResponse(document: unknown) {
  const { data, included, ...rest } = objectOf(document);
  const [links, meta] = [objectOf(rest.links), objectOf(rest.meta)];
  const { start, end } = objectOf(meta.window);
  const found = new Map<string, Resource>();
  const resources = (values: Json | undefined) =>
    [values].flat().flatMap((value) => resourceOf(value as Json, found) ?? []);
  for (const one of resources(included)) found.set(keyOf(one), one);
  return {
    /** The requested records. */
    records: resources(data),
    links: { prev: textIn(links, "prev"), next: textIn(links, "next") },
    /** The time window that was searched. */
    window: typeof start === "string" && typeof end === "string" ? { start, end } : undefined,
    /** How many more records the filter found; 0 if all are here. */
    omitted: numberIn(meta, "omitted") ?? 0,
  };
}

const objectOf = (value: unknown): JsonObject => (isObject(value) ? value : {});

function resourceOf(
  value: Json | undefined,
  found: ReadonlyMap<string, Resource> = new Map(),
): Resource | undefined {
  const raw = objectOf(value);
  const { type, id } = raw;
  if (typeof type !== "string" || typeof id !== "string") return undefined;
  const attributes = objectOf(raw.attributes);
  const relationships = objectOf(raw.relationships) as Resource["relationships"];
  const relation = (name: string) =>
    references(relationships[name]).map(
      (one) => found.get(keyOf(one)) ?? resourceOf({ type: one.type, id: one.id })!,
    );
  return { type, id, attributes, stats: objectOf(attributes.stats), relationships, raw, relation };
}

/** Field names for `fields[TYPE]` that appear in the response, by type. */
export function fieldNames(document: unknown): ReadonlyMap<string, ReadonlySet<string>> {
  const { data, included } = objectOf(document);
  const resources = [data, included].flat().flatMap((one) => resourceOf(one) ?? []);
  const namesIn = ({ attributes, relationships }: Resource) =>
    Object.keys({ ...attributes, ...relationships });
  const byType = Map.groupBy(resources, ({ type }) => type);
  return new Map([...byType].map(([type, all]) => [type, new Set(all.flatMap(namesIn))]));
}
