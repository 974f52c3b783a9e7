/** Documents that are not sent whole: chosen related resources, chosen fields, no repeats. */

import { isObject, keyOf, type Resource, references } from "../domain/json.ts";
import type { Shape } from "../query/query.ts";

export interface Projection {
  data: Resource[];
  included: Resource[];
}

/**
 * `related` may name a resource twice; the first one is taken. What nothing links to then is left
 * out: it belonged to one that was not taken, or a player has stopped linking to it.
 */
export function project(primary: Resource[], related: Resource[], shape: Shape): Projection {
  const index = new Map<string, Resource>();
  for (const resource of [...primary, ...related]) {
    if (!index.has(keyOf(resource))) index.set(keyOf(resource), resource);
  }
  const own = new Set(primary.map(keyOf));
  const wanted = shape.include ? onPaths(primary, shape.include, index) : linked(primary, index);
  const included = [...index].filter(([key]) => !own.has(key) && wanted.has(key));
  const trim = (resource: Resource) => trimmed(resource, shape.fields?.get(resource.type));
  return {
    data: primary.map(trim),
    included: included.map(([, resource]) => trim(resource)),
  };
}

/** Everything on the given paths: the resources on the way belong to a path as well as its end. */
function onPaths(
  primary: Resource[],
  paths: string[],
  index: ReadonlyMap<string, Resource>,
): Set<string> {
  const found = new Set<string>();
  for (const path of paths) {
    let level = new Set(primary);
    for (const name of path.split(".")) {
      const next = new Set<Resource>();
      for (const resource of level) {
        for (const reference of references(resource.relationships?.[name])) {
          const target = index.get(keyOf(reference));
          if (!target) continue;
          found.add(keyOf(reference));
          next.add(target);
        }
      }
      level = next;
    }
  }
  return found;
}

/** Everything that some chain of references leads to. */
function linked(primary: Resource[], index: ReadonlyMap<string, Resource>): Set<string> {
  const found = new Set(primary.map(keyOf));
  // The set grows while it is walked.
  for (const key of found) {
    for (const relationship of Object.values(index.get(key)?.relationships ?? {})) {
      for (const reference of references(relationship)) found.add(keyOf(reference));
    }
  }
  return found;
}

/** Attributes and relationships share one namespace of fields; members left empty are left out. */
function trimmed(resource: Resource, fields: ReadonlySet<string> | undefined): Resource {
  if (!fields) return resource;
  const kept = Object.entries(resource).flatMap(([member, value]) => {
    if (member !== "attributes" && member !== "relationships") return [[member, value] as const];
    if (!isObject(value)) return [];
    const entries = Object.entries(value).filter(([name]) => fields.has(name));
    return entries.length > 0 ? [[member, Object.fromEntries(entries)] as const] : [];
  });
  return Object.fromEntries(kept) as Resource;
}
