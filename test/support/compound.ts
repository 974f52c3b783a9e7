/** In charge of looking into documents: which resources they hold, and how those hang together. */

import type { JsonObject } from "../../src/domain/json.ts";

export interface AnyResource extends JsonObject {
  type: string;
  id: string;
}

/** Whatever a document holds as its primary data, as a list. */
export function primary(body: JsonObject): AnyResource[] {
  return (Array.isArray(body.data) ? body.data : [body.data]) as AnyResource[];
}

export function related(body: JsonObject): AnyResource[] {
  return (body.included ?? []) as AnyResource[];
}

const nameOf = ({ type, id }: AnyResource): string => `${type}/${id}`;

export const idsOf = (body: JsonObject): string[] => primary(body).map(({ id }) => id);

/** "type/id" of what is included, in the document's order; of one type only when it is given. */
export function includedNames(body: JsonObject, type?: string): string[] {
  return related(body)
    .filter((resource) => type === undefined || resource.type === type)
    .map(nameOf);
}

/** The names that a document holds more than once. */
export function repeatedNames(body: JsonObject): string[] {
  const names = [...primary(body), ...related(body)].map(nameOf);
  return names.filter((name, index) => names.indexOf(name) !== index);
}

/** The included resources that no chain of references leads to from the primary data. */
export function unlinkedNames(body: JsonObject): string[] {
  const all = new Map(
    [...related(body), ...primary(body)].map((resource) => [nameOf(resource), resource]),
  );
  const reached = new Set(primary(body).map(nameOf));
  for (const name of reached) {
    const resource = all.get(name);
    if (resource) for (const reference of referencesOf(resource)) reached.add(nameOf(reference));
  }
  return includedNames(body).filter((name) => !reached.has(name));
}

/** The references in a document's resources that lead to nothing the document holds. */
export function danglingNames(body: JsonObject): string[] {
  const all = [...primary(body), ...related(body)];
  const held = new Set(all.map(nameOf));
  return all
    .flatMap(referencesOf)
    .map(nameOf)
    .filter((name) => !held.has(name));
}

function referencesOf(resource: AnyResource): AnyResource[] {
  const relationships = (resource.relationships ?? {}) as Record<string, JsonObject>;
  return Object.values(relationships).flatMap(({ data }) =>
    Array.isArray(data) ? (data as AnyResource[]) : data ? [data as AnyResource] : [],
  );
}
