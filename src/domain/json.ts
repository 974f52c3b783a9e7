/** JSON values and JSON:API resource objects. */

/** The version of JSON:API that every document declares. */
export const JSON_API_VERSION = "1.1";

export type Json = string | number | boolean | null | Json[] | JsonObject;
export type JsonObject = { [member: string]: Json };

export interface Reference {
  type: string;
  id: string;
}

export type Relationship = JsonObject & { data?: Json };

/** A JSON:API resource object. Other members (links, meta) are kept unchanged. */
export interface Resource {
  type: string;
  id: string;
  attributes: JsonObject;
  relationships?: { [name: string]: Relationship };
  [member: string]: unknown;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The references in a relationship. Anything that is not a reference is skipped. */
export function references(relationship: Relationship | undefined): Reference[] {
  const data = relationship?.data;
  if (Array.isArray(data)) return data.every(isReference) ? data : data.filter(isReference);
  return isReference(data) ? [data] : [];
}

export function isReference(value: Json | undefined): value is JsonObject & Reference {
  return isObject(value) && typeof value.type === "string" && typeof value.id === "string";
}

/** Identifies a resource across types. */
export function keyOf(resource: Reference): string {
  return `${resource.type}/${resource.id}`;
}

/** Finds resources by type and id. Looks for the id alone first, because joining texts is slower: few are repeated. */
export class ResourceIndex {
  readonly #byId = new Map<string, Resource>();
  /** By key: those whose id a resource of another type has. */
  readonly #others = new Map<string, Resource>();

  constructor(resources: readonly Resource[]) {
    for (const resource of resources) {
      const known = this.#byId.get(resource.id);
      if (known === undefined || known.type === resource.type)
        this.#byId.set(resource.id, resource);
      else this.#others.set(keyOf(resource), resource);
    }
  }

  get(reference: Reference): Resource | undefined {
    const found = this.#byId.get(reference.id);
    if (found === undefined || found.type === reference.type) return found;
    return this.#others.get(keyOf(reference));
  }
}
