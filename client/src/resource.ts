/** The base class of resources: type, id, attributes and related resources. */

/** A resource of any type, as returned by the service. */
export interface RawResource {
  readonly type: string;
  readonly id: string;
  readonly attributes?: { readonly [name: string]: unknown };
  readonly relationships?: { readonly [name: string]: unknown };
}

/** Finds the resource for a reference. */
export interface Lookup {
  find(type: string, id: string): Resource;
}

export class Resource<Raw extends RawResource = RawResource> {
  /** The resource as returned by the service. */
  readonly raw: Raw;
  /** Whether the response contains it. Otherwise it has only its type and id. */
  readonly isLoaded: boolean;
  readonly #lookup: Lookup;

  constructor(raw: Raw, lookup: Lookup, isLoaded: boolean) {
    this.raw = raw;
    this.isLoaded = isLoaded;
    this.#lookup = lookup;
  }

  get type(): Raw["type"] {
    return this.raw.type;
  }

  get id(): string {
    return this.raw.id;
  }

  /** All attributes, including undocumented ones. */
  get attributes(): NonNullable<Raw["attributes"]> {
    return this.raw.attributes ?? {};
  }

  /** The related resources of a relationship, if any. */
  relation(name: string): readonly Resource[] {
    return referencesIn(this.raw.relationships?.[name]).map(({ type, id }) =>
      this.#lookup.find(type, id),
    );
  }

  toJSON(): Raw {
    return this.raw;
  }
}

function referencesIn(relationship: unknown): RawResource[] {
  const data = (relationship as { data?: RawResource | RawResource[] | null } | undefined)?.data;
  return data ? [data].flat() : [];
}
