/** In charge of what all resources have: type, id, attributes, and the way to what they link to. */

/** A resource as it was sent, of any type. */
export interface RawResource {
  readonly type: string;
  readonly id: string;
  readonly attributes?: { readonly [name: string]: unknown };
  readonly relationships?: { readonly [name: string]: unknown };
}

/** Finds the resource that a reference names. */
export interface Lookup {
  find(type: string, id: string): Resource;
}

export class Resource<Raw extends RawResource = RawResource> {
  /** The resource as it was sent. */
  readonly raw: Raw;
  /**
   * Whether it came with the reply. One that `include` left out has its type and its id, and
   * nothing else.
   */
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

  /** All attributes, also those that the interface does not name. */
  get attributes(): NonNullable<Raw["attributes"]> {
    return this.raw.attributes ?? {};
  }

  /** What a relationship leads to: one or more resources, or none. */
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
