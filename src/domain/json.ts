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

/** The references in a relationship. Anything that is not a reference is skipped, whatever its type. */
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

/**
 * Finds resources by type and id; the first one, if there are several. Looks for the id alone first, because joining texts
 * is slower: few are repeated.
 */
export class ResourceIndex<T extends Reference = Resource> {
  readonly #byId = new Map<string, T>();
  /** By key: those whose id a resource of another type has. */
  readonly #others = new Map<string, T>();

  constructor(resources: readonly T[]) {
    this.add(resources);
  }

  add(resources: readonly T[]): void {
    for (const resource of resources) {
      const known = this.#byId.get(resource.id);
      if (known === undefined) this.#byId.set(resource.id, resource);
      else if (known.type !== resource.type) {
        const key = keyOf(resource);
        if (!this.#others.has(key)) this.#others.set(key, resource);
      }
    }
  }

  get(reference: Reference): T | undefined {
    const found = this.#byId.get(reference.id);
    if (found === undefined || found.type === reference.type) return found;
    return this.#others.get(keyOf(reference));
  }
}
