/**
 * Applies `include`, `fields` and a compatibility profile to stored resources, and removes duplicate ones. Pieces that
 * stay the same are used as they are stored. Of the others, resources that stay the same are copied, which takes less time
 * than parsing them.
 */

import {
  type JsonObject,
  type Relationship,
  type Resource,
  ResourceIndex,
  references,
} from "../domain/json.ts";
import { formatTimestamp } from "../domain/time.ts";
import type { Shape } from "../query/query.ts";
import { canonicalResource } from "./canonical.ts";
import { literalPiece, type Piece, pieceOf, withoutComma } from "./fragment.ts";
import { plainBody } from "./join-pieces.ts";
import { asBytes, Fields, lastRelationships, type TextRange } from "./sparse.ts";
import { findWritten, rememberWritten } from "./written-texts.ts";

/** A stored piece with one or more resources. */
export interface Source {
  piece: Piece;
  /** Whether it starts with a comma. */
  isFollowing: boolean;
  /** The type of its resources, if that is known. */
  type?: string;
  /** For a player, the creation time of the latest served match. */
  lastMatchAt?: number | undefined;
}

export interface Sources {
  primary: Source[];
  isList: boolean;
  /** Undefined: the document has no `included`. */
  related: Source[] | undefined;
  /** Whether every related resource is linked, and there only once. */
  isDistinct: boolean;
}

/** What a compatibility profile adds to the resources of a type, where it is missing. */
export interface Additions {
  /** An attribute that repeats another one; an empty string if that is missing too. */
  alias?: { name: string; of: string };
  /** For players: the attribute with the creation time of the latest match. */
  time?: string;
  relationships: Record<string, [] | null>;
}

/**
 * If a resource is there twice, the first one is used. Without `include`, resources that nothing links to are left
 * out.
 */
export function project(
  { primary, isList, related, isDistinct }: Sources,
  shape: Shape,
  additions: ReadonlyMap<string, Additions> | undefined,
): Piece[] {
  const { include } = shape;
  const rules = rulesOf(shape, additions);
  const data = primary.map((source) => new Entry(source));
  const others = include?.length === 0 ? [] : (related ?? []).map((source) => new Entry(source));
  let isWanted: IsWanted = () => true;
  if (!isDistinct || include) isWanted = chosen(data, others, include);
  else open([...data, ...others].filter((entry) => !entry.isKnown(rules)));

  const draft = new Draft(rules);
  draft.text(isList ? '{"data":[' : '{"data":');
  for (const entry of data) draft.add(entry, () => true);
  if (isList) draft.text("]");
  if (related) {
    draft.text(',"included":[');
    for (const entry of others) draft.add(entry, isWanted);
    draft.text("]");
  }
  return draft.finish();
}

/** How the resources of a type are written. */
interface Rule {
  fields: Fields | undefined;
  added: Additions | undefined;
}

interface Rules {
  /** Equal rules have equal keys. */
  key: string;
  byType: ReadonlyMap<string, Rule>;
}

function rulesOf({ fields }: Shape, additions?: ReadonlyMap<string, Additions>): Rules {
  const types = [...(fields?.keys() ?? []), ...(additions?.keys() ?? [])];
  const rule = (type: string): Rule => {
    const chosen = fields?.get(type);
    return { fields: chosen && new Fields(chosen), added: additions?.get(type) };
  };
  const chosen = [...(fields ?? [])].map(([type, names]) => [type, ...names]);
  return {
    key: JSON.stringify([!additions, chosen]),
    byType: new Map(types.map((type) => [type, rule(type)])),
  };
}

type Relationships = Record<string, Relationship>;

/** A resource in the JSON of its source. Texts have a character for each byte, so that nothing is decoded. */
class StoredResource implements TextRange {
  #relationships: Relationships | undefined;

  constructor(
    readonly text: string,
    readonly start: number,
    readonly head: number,
    readonly end: number,
    readonly type: string,
    readonly id: string,
  ) {}

  get json(): string {
    return this.text.slice(this.start, this.end);
  }

  get relationships(): Relationships {
    if (this.#relationships) return this.#relationships;
    // Parsing the attributes too would take twice as long.
    const at = lastRelationships(this.text, this.head, this.end);
    this.#relationships =
      at === -1
        ? ((JSON.parse(this.json) as Resource).relationships ?? {})
        : (JSON.parse(this.text.slice(at, this.end - 1)) as Relationships);
    return this.#relationships;
  }
}

const START = '{"type":';
/**
 * How resources start, as they are stored: members of other objects are sorted, so that nothing else looks like it. Types
 * and ids have no other characters; any would make this slow for long texts.
 */
const HEAD = /\{"type":"([\w-]{1,64})","id":"([\w-]{1,64})"/y;

/** The resources of a list without brackets. Most need not be parsed. */
function resourcesIn(text: string, start: number, end: number): StoredResource[] {
  const found: StoredResource[] = [];
  let [from, head, type, id] = [-1, 0, "", ""];
  let at = text.indexOf(START, start);
  for (; at !== -1 && at < end; at = text.indexOf(START, at + 1)) {
    HEAD.lastIndex = at;
    const match = HEAD.exec(text);
    if (!match) continue;
    if (from !== -1) found.push(new StoredResource(text, from, head, at - 1, type, id));
    [from, head, type, id] = [at, HEAD.lastIndex, match[1]!, match[2]!];
  }
  if (from !== -1) found.push(new StoredResource(text, from, head, end, type, id));
  return found;
}

/** A source, and what is known of it. */
class Entry {
  resources: StoredResource[] | undefined;
  /** How all of it was written before. */
  written: string | undefined;

  constructor(readonly source: Source) {}

  /** Whether it can be written without opening it: no rule is about it, or it was written before. */
  isKnown({ key, byType }: Rules): boolean {
    const { type, piece, lastMatchAt } = this.source;
    if (type !== undefined && !byType.has(type)) return true;
    this.written = findWritten(key, piece, lastMatchAt);
    return this.written !== undefined;
  }
}

/** Inflates all at once, because each call has a high fixed cost. */
function open(entries: Entry[]): void {
  if (entries.length === 0) return;
  const pieces = entries.map(({ source }) => source.piece);
  const text = plainBody(pieces, "").toString("latin1");
  let end = 0;
  for (const entry of entries) {
    const { piece, isFollowing } = entry.source;
    const start = end + (isFollowing ? 1 : 0);
    end += piece.length;
    entry.resources = resourcesIn(text, start, end);
  }
}

type IsWanted = (resource: StoredResource) => boolean;

/** The resources along the paths, including intermediate ones. Without paths, all that can be reached by links. */
function chosen(data: Entry[], others: Entry[], paths: string[] | undefined): IsWanted {
  const read = (entries: Entry[]): StoredResource[] => {
    open(entries);
    return entries.flatMap(({ resources }) => resources!);
  };
  // Players, teams and what they link to are inflated when something is not found.
  const named = others.findIndex(({ source }) => source.isFollowing);
  const own = named === -1 ? others : others.slice(0, named);
  const unread = others.slice(own.length);
  const index = new ResourceIndex(read([...data, ...own]));
  const primary = data.flatMap(({ resources }) => resources!);
  const targets = (relationship: Relationship | undefined): StoredResource[] => {
    const all = references(relationship);
    if (unread.length > 0 && all.some((one) => !index.get(one))) index.add(read(unread.splice(0)));
    return all.flatMap((one) => index.get(one) ?? []);
  };

  const found = new Set(paths ? [] : primary);
  for (const path of paths ?? []) {
    let level = new Set(primary);
    for (const name of asBytes(path).split(".")) {
      level = new Set([...level].flatMap((one) => targets(one.relationships[name])));
      for (const one of level) found.add(one);
    }
  }
  if (!paths) {
    // The set grows during iteration.
    for (const { relationships } of found) {
      for (const one of Object.values(relationships).flatMap(targets)) found.add(one);
    }
  }
  for (const entry of unread) entry.resources = [];
  return (resource) => found.has(resource);
}

/** As a rule says; undefined if that changes nothing. */
function rewritten(
  resource: StoredResource,
  rule: Rule | undefined,
  lastMatchAt: number | undefined,
): string | undefined {
  if (!rule) return undefined;
  const { added, fields } = rule;
  const more = added && completed(JSON.parse(resource.json) as Resource, added, lastMatchAt);
  const text = more && canonicalResource(more);
  if (!fields) return text;
  const [only] = text === undefined ? [resource] : resourcesIn(text, 0, text.length);
  return fields.of(only!);
}

/** With what a profile adds; undefined if that is nothing. */
function completed(
  resource: Resource,
  { alias, time, relationships: expected }: Additions,
  lastMatchAt: number | undefined,
): Resource | undefined {
  const { attributes = {}, relationships = {} } = resource;
  const extra: JsonObject = {};
  if (time && lastMatchAt !== undefined && !Object.hasOwn(attributes, time)) {
    extra[time] = formatTimestamp(lastMatchAt);
  }
  if (alias && (attributes[alias.name] ?? null) === null) {
    extra[alias.name] = attributes[alias.of] ?? "";
  }
  const links: Record<string, Relationship> = {};
  for (const [name, data] of Object.entries(expected)) {
    const given = relationships[name];
    if (given?.data === undefined) links[name] = { data, ...given };
  }
  const isComplete = resource.attributes && resource.relationships && isEmpty(extra);
  if (isComplete && isEmpty(links)) return undefined;
  return {
    ...resource,
    attributes: { ...attributes, ...extra },
    relationships: { ...relationships, ...links },
  };
}

function isEmpty(object: object): boolean {
  for (const _ in object) return false;
  return true;
}

/** Shorter texts are not worth compressing. */
const MIN_COMPRESSED = 64;

/** The content of a document: stored pieces, and new text between them. */
class Draft {
  readonly #pieces: Piece[] = [];
  #text = "";
  #isFirst = true;

  constructor(private readonly rules: Rules) {}

  /** A list may follow. */
  text(text: string): void {
    this.#text += text;
    this.#isFirst = true;
  }

  /** Adds the wanted resources of an entry to a list. */
  add({ source, resources, written }: Entry, isWanted: IsWanted): void {
    const { piece, isFollowing, lastMatchAt } = source;
    if (written !== undefined) this.#next(written);
    else if (resources === undefined) this.#stored(piece, isFollowing);
    else {
      const { key, byType } = this.rules;
      const kept = resources.filter(isWanted);
      const news = kept.map((one) => rewritten(one, byType.get(one.type), lastMatchAt));
      if (kept.length === resources.length && news.every((text) => text === undefined)) {
        if (kept.length > 0) this.#stored(piece, isFollowing);
        return;
      }
      let text = "";
      for (const [at, one] of kept.entries()) {
        const next = news[at] ?? one.json;
        text += at === 0 ? next : `,${next}`;
      }
      if (text !== "") this.#next(text);
      if (kept.length === resources.length) rememberWritten(key, piece, lastMatchAt, text);
    }
  }

  finish(): Piece[] {
    this.#endPiece();
    return this.#pieces;
  }

  #next(text: string): void {
    this.#text += this.#isFirst ? text : `,${text}`;
    this.#isFirst = false;
  }

  #stored(piece: Piece, isFollowing: boolean): void {
    if (!this.#isFirst && !isFollowing) this.#text += ",";
    this.#endPiece();
    this.#pieces.push(this.#isFirst && isFollowing ? withoutComma(piece) : piece);
    this.#isFirst = false;
  }

  #endPiece(): void {
    if (this.#text === "") return;
    const plain = Buffer.from(this.#text, "latin1");
    this.#pieces.push(plain.length < MIN_COMPRESSED ? literalPiece(plain) : pieceOf(plain));
    this.#text = "";
  }
}
