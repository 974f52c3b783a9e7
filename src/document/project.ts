/** Applies `include` and `fields` to a document, and removes duplicate resources. */

import { isObject, keyOf, type Resource, references } from "../domain/json.ts";
import type { Shape } from "../query/query.ts";

export interface Projection {
  data: Resource[];
  included: Resource[];
}

/**
 * If `related` contains a resource twice, the first one is used. Resources that nothing links to
 * are removed.
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

/** All resources along the paths, including intermediate ones. */
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

/** All resources reachable by references. */
function linked(primary: Resource[], index: ReadonlyMap<string, Resource>): Set<string> {
  const found = new Set(primary.map(keyOf));
  // The set grows during iteration.
  for (const key of found) {
    for (const relationship of Object.values(index.get(key)?.relationships ?? {})) {
      for (const reference of references(relationship)) found.add(keyOf(reference));
    }
  }
  return found;
}

/** Field names cover attributes and relationships. Empty members are removed. */
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
