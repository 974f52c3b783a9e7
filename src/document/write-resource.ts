/** Writes a stored resource with the chosen fields, and with what a compatibility profile adds. */

import { formatTimestamp } from "../domain/time.ts";
import type { Shape } from "../query/query.ts";
import type { Draft } from "./draft.ts";
import {
  endOfValue,
  firstMember,
  hasAt,
  isObjectAt,
  memberAfter,
  type ScannedResource,
  valueAfter,
} from "./scan.ts";

/** What a compatibility profile adds to the resources of a type, where it is missing. */
export interface Additions {
  /** An attribute that repeats another one; an empty string if that is missing too. */
  alias?: { name: Name; of: Name };
  /** For players: the attribute with the creation time of the latest match. */
  time?: Name;
  relationships: { name: Name; data: [] | null }[];
}

/** The name of a member, also as it is in stored JSON, where every string has only one form. */
export interface Name {
  text: string;
  /** With quotes and the colon. */
  bytes: Buffer;
}

export function nameOf(text: string): Name {
  return { text, bytes: Buffer.from(`${JSON.stringify(text)}:`) };
}

/** The chosen fields of a type. */
class Fields {
  readonly #names: Name[];
  /** The first character of the last name, in the order of members. */
  readonly #last: number;

  constructor(private readonly texts: ReadonlySet<string>) {
    this.#names = [...texts].map(nameOf);
    this.#last = Math.max(0, ...this.#names.map(({ text }) => text.charCodeAt(0) || 0));
  }

  has(name: Name): boolean {
    return this.texts.has(name.text);
  }

  /** Whether the member at this position is one of them. */
  hasAt(text: Buffer, at: number): boolean {
    for (const { bytes } of this.#names) if (hasAt(text, at, bytes)) return true;
    return false;
  }

  /** Whether the member at this position and all after it are none of them. Only numeric names may not be sorted. */
  areBefore(text: Buffer, at: number): boolean {
    const first = text[at + 1]!;
    return first > this.#last && first >= SMALL_A && first <= SMALL_Z;
  }
}

const SMALL_A = 0x61;
const SMALL_Z = 0x7a;

/** How the resources of a type are written. */
export interface Rule {
  /** Equal rules have equal keys. */
  key: string;
  fields: Fields | undefined;
  additions: Additions | undefined;
}

export function rulesOf(
  { fields }: Shape,
  additions: ReadonlyMap<string, Additions> = NO_ADDITIONS,
): ReadonlyMap<string, Rule> {
  const rules = new Map<string, Rule>();
  for (const [type, added] of additions) {
    rules.set(type, { key: `+${type}`, fields: undefined, additions: added });
  }
  for (const [type, names] of fields ?? []) {
    const added = additions.get(type);
    const key = `${added ? "+" : ""}${type}${JSON.stringify([...names])}`;
    rules.set(type, { key, fields: new Fields(names), additions: added });
  }
  return rules;
}

const NO_ADDITIONS: ReadonlyMap<string, Additions> = new Map();

const COMMA = Buffer.from(",");
const CLOSE = Buffer.from("}");
const NULL = Buffer.from("null");
const DATA_FIRST = Buffer.from('{"data":');
const ATTRIBUTES = Buffer.from(',"attributes":{');
const RELATIONSHIPS = Buffer.from(',"relationships":{');

/** Whether a resource is written as it is stored. */
export function isUnchanged(
  text: Buffer,
  { attributes, relationships }: ScannedResource,
  rule: Rule | undefined,
): boolean {
  if (!rule) return true;
  const { fields, additions } = rule;
  if (fields || !additions || additions.alias || additions.time) return false;
  if (attributes === 0 || relationships === 0) return false;
  return additions.relationships.every(({ name }) => hasData(text, relationships, name));
}

function hasData(text: Buffer, relationships: number, { bytes }: Name): boolean {
  let end = 0;
  for (let name = firstMember(text, relationships); name > 0; name = memberAfter(text, end)) {
    const value = valueAfter(text, name);
    if (hasAt(text, name, bytes)) return hasAt(text, value, DATA_FIRST);
    end = endOfValue(text, value);
  }
  return false;
}

export function writeResource(
  draft: Draft,
  text: Buffer,
  resource: ScannedResource,
  rule: Rule | undefined,
  lastMatchAt: number | undefined,
): void {
  if (!rule || isUnchanged(text, resource, rule)) {
    draft.range(text, resource.start, resource.end);
    return;
  }
  const { attributes, relationships } = resource;
  // A missing member is added where it would be.
  const attributesEnd = attributes === 0 ? resource.idEnd + 1 : resource.attributesEnd;
  const attributesAt = attributes === 0 ? attributesEnd : attributes + 1 - ATTRIBUTES.length;
  draft.range(text, resource.start, attributesAt);
  writeAttributes(new Members(draft, text, ATTRIBUTES, rule.fields), attributes, rule, lastMatchAt);
  if (relationships > 0) draft.range(text, attributesEnd, relationships + 1 - RELATIONSHIPS.length);
  writeRelationships(new Members(draft, text, RELATIONSHIPS, rule.fields), relationships, rule);
  draft.range(text, relationships === 0 ? attributesEnd : resource.relationshipsEnd, resource.end);
}

function writeAttributes(
  members: Members,
  attributes: number,
  { fields, additions }: Rule,
  lastMatchAt: number | undefined,
): void {
  const { text } = members;
  const { alias, time } = additions ?? {};
  let aliased = 0;
  let hasAlias = false;
  let hasTime = lastMatchAt === undefined;
  let end = 0;
  for (let name = members.first(attributes); name > 0; name = memberAfter(text, end)) {
    if (!alias && fields?.areBefore(text, name)) break;
    const value = valueAfter(text, name);
    end = endOfValue(text, value);
    if (alias && !hasAt(text, value, NULL)) {
      if (hasAt(text, name, alias.name.bytes)) hasAlias = true;
      if (hasAt(text, name, alias.of.bytes)) aliased = value;
    } else if (alias && hasAt(text, name, alias.name.bytes)) {
      continue;
    }
    if (time && hasAt(text, name, time.bytes)) hasTime = true;
    members.copy(name, end);
  }
  if (time && !hasTime) members.add(time, Buffer.from(`"${formatTimestamp(lastMatchAt!)}"`));
  if (alias && !hasAlias) {
    const value = text.subarray(aliased, aliased && endOfValue(text, aliased));
    members.add(alias.name, aliased === 0 ? EMPTY_STRING : value);
  }
  members.end();
}

function writeRelationships(
  members: Members,
  relationships: number,
  { fields, additions }: Rule,
): void {
  const { text } = members;
  let missing = additions?.relationships ?? NONE;
  let end = 0;
  for (let name = members.first(relationships); name > 0; name = memberAfter(text, end)) {
    if (!additions && fields?.areBefore(text, name)) break;
    const value = valueAfter(text, name);
    end = endOfValue(text, value);
    const expected = missing.find((one) => hasAt(text, name, one.name.bytes));
    if (expected) missing = missing.filter((one) => one !== expected);
    if (!expected || hasAt(text, value, DATA_FIRST)) {
      members.copy(name, end);
    } else {
      const given = JSON.parse(text.toString("utf8", value, end));
      members.add(expected.name, textOf({ data: expected.data, ...given }));
    }
  }
  for (const { name, data } of missing) members.add(name, data ? NO_REFERENCES : NO_REFERENCE);
  members.end();
}

const NONE: Additions["relationships"] = [];
const textOf = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));
const EMPTY_STRING = textOf("");
const NO_REFERENCE = textOf({ data: null });
const NO_REFERENCES = textOf({ data: [] });

/** Writes the attributes or the relationships of a resource. */
class Members {
  #isEmpty = true;

  constructor(
    private readonly draft: Draft,
    readonly text: Buffer,
    private readonly start: Buffer,
    private readonly fields: Fields | undefined,
  ) {}

  /** The first member of the stored object; 0 if there is none. */
  first(object: number): number {
    return object > 0 && isObjectAt(this.text, object) ? firstMember(this.text, object) : 0;
  }

  copy(name: number, end: number): void {
    if (this.fields && !this.fields.hasAt(this.text, name)) return;
    if (this.#isEmpty) this.draft.add(this.start);
    // All but the first have a comma before them, which is copied too.
    this.draft.range(this.text, this.#isEmpty ? name : name - 1, end);
    this.#isEmpty = false;
  }

  add(name: Name, value: Buffer): void {
    if (this.fields && !this.fields.has(name)) return;
    this.draft.add(this.#isEmpty ? this.start : COMMA);
    this.draft.add(name.bytes);
    this.draft.add(value);
    this.#isEmpty = false;
  }

  /** With fields, an empty object is left out. */
  end(): void {
    if (this.#isEmpty && this.fields) return;
    if (this.#isEmpty) this.draft.add(this.start);
    this.draft.add(CLOSE);
  }
}
