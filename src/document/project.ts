/**
 * Applies `include`, `fields` and a compatibility profile to stored resources, and removes duplicate ones. Pieces that
 * stay the same are used as they are stored. Of the others, the parts to keep are copied, which takes a fraction of the
 * time of parsing them.
 */

import { keyOf, type Relationship, references } from "../domain/json.ts";
import type { Shape } from "../query/query.ts";
import { Draft } from "./draft.ts";
import { type Piece, withoutComma } from "./fragment.ts";
import { plainBody } from "./gzip.ts";
import { type ScannedResource, scanResources, stringIn } from "./scan.ts";
import {
  type Additions,
  isUnchanged,
  type Rule,
  rulesOf,
  writeResource,
} from "./write-resource.ts";
import { findWritten, rememberWritten } from "./written-texts.ts";

/** A stored piece with one or more resources. */
export interface Source {
  piece: Piece;
  /** Whether it starts with a comma. */
  isFollowing: boolean;
  /** The type of its resources, if that is known. */
  type?: string;
  /** The number of its resources, if that is known. */
  count?: number;
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

const DATA = Buffer.from('{"data":');
const LIST = Buffer.from('{"data":[');
const END = Buffer.from("]");
const COMMA = Buffer.from(",");
const INCLUDED = Buffer.from(',"included":[');

/**
 * If a resource is there twice, the first one is used. Without `include`, resources that nothing links to are left
 * out.
 */
export function project(
  { primary, isList, related, isDistinct }: Sources,
  shape: Shape,
  additions: ReadonlyMap<string, Additions> | undefined,
): Piece[] {
  const rules = rulesOf(shape, additions);
  const candidates = shape.include?.length === 0 ? [] : (related ?? []);
  const choice =
    isDistinct && !shape.include
      ? everything(primary, candidates, rules)
      : linked(primary, candidates, shape.include);

  const draft = new Draft();
  draft.add(isList ? LIST : DATA);
  writeList(draft, choice.primary, rules);
  if (isList) draft.add(END);
  if (related) {
    draft.add(INCLUDED);
    writeList(draft, choice.related, rules);
    draft.add(END);
  }
  return draft.finish();
}

/** What is kept of a source. */
interface Kept {
  source: Source;
  text: Buffer;
  resources: ScannedResource[];
  isWhole: boolean;
  /** How it was written before. */
  written?: Buffer | undefined;
}

type Choice = Record<"primary" | "related", Kept[]>;

type Rules = ReadonlyMap<string, Rule>;

/** Pieces that no rule is about, and players and teams that were written before, are not inflated. */
function everything(primary: Source[], related: Source[], rules: Rules): Choice {
  const closed = [...primary, ...related].map((source) => {
    const { type, piece, isFollowing, lastMatchAt } = source;
    const rule = type === undefined ? undefined : rules.get(type);
    const written = rule && isFollowing ? findWritten(rule.key, piece, lastMatchAt) : undefined;
    const isOpen = type === undefined || (rule !== undefined && written === undefined);
    return { source, text: NOTHING, resources: [], isWhole: true, written, isOpen };
  });
  const opened = open(closed.filter(({ isOpen }) => isOpen).map(({ source }) => source));
  let next = 0;
  const all = closed.map((one) => (one.isOpen ? opened[next++]! : one));
  return { primary: all.slice(0, primary.length), related: all.slice(primary.length) };
}

const NOTHING = Buffer.alloc(0);

/** The resources along the paths, including intermediate ones. Without paths, all that can be reached by links. */
function linked(primary: Source[], related: Source[], paths: string[] | undefined): Choice {
  const index = new Index(primary, related);
  const wanted = paths ? onPaths(index, paths) : reachable(index);
  const chosen = index.related.map((one) => {
    const resources = one.resources.filter((resource) => wanted.has(resource));
    return { ...one, resources, isWhole: resources.length === one.resources.length };
  });
  return { primary: index.primary, related: chosen };
}

function onPaths(index: Index, paths: string[]): Set<ScannedResource> {
  const found = new Set<ScannedResource>();
  for (const path of paths) {
    let level = index.primaryEntries;
    for (const name of path.split(".")) {
      const next = new Set<Entry>();
      for (const entry of level) {
        for (const reference of references(relationshipsOf(entry)[name])) {
          const target = index.find(keyOf(reference));
          if (!target) continue;
          found.add(target.resource);
          next.add(target);
        }
      }
      level = next;
    }
  }
  return found;
}

function reachable(index: Index): Set<ScannedResource> {
  const found = new Set(index.primaryEntries);
  // The set grows during iteration.
  for (const entry of found) {
    for (const relationship of Object.values(relationshipsOf(entry))) {
      for (const reference of references(relationship)) {
        const target = index.find(keyOf(reference));
        if (target) found.add(target);
      }
    }
  }
  return new Set([...found].map(({ resource }) => resource));
}

interface Entry {
  text: Buffer;
  resource: ScannedResource;
  relationships?: Record<string, Relationship>;
}

function relationshipsOf(entry: Entry): Record<string, Relationship> {
  const { text, resource } = entry;
  if (resource.relationships === 0) return {};
  entry.relationships ??= JSON.parse(
    text.toString("utf8", resource.relationships, resource.relationshipsEnd),
  ) as Record<string, Relationship>;
  return entry.relationships;
}

/** Finds resources by their keys. Players, teams and what they link to are inflated when something is not found. */
class Index {
  readonly primary: Kept[];
  readonly primaryEntries = new Set<Entry>();
  readonly related: Kept[];
  #unread: Source[];
  readonly #entries = new Map<string, Entry>();

  constructor(primary: Source[], related: Source[]) {
    const named = related.findIndex(({ isFollowing }) => isFollowing);
    const own = named === -1 ? related : related.slice(0, named);
    this.#unread = related.slice(own.length);
    const opened = open([...primary, ...own]);
    this.primary = opened.slice(0, primary.length);
    this.related = opened.slice(primary.length);
    for (const one of this.primary) {
      for (const entry of this.#add(one)) this.primaryEntries.add(entry);
    }
    for (const one of this.related) this.#add(one);
  }

  find(key: string): Entry | undefined {
    const known = this.#entries.get(key);
    if (known || this.#unread.length === 0) return known;
    for (const one of open(this.#unread)) {
      this.#add(one);
      this.related.push(one);
    }
    this.#unread = [];
    return this.#entries.get(key);
  }

  #add({ text, resources }: Kept): Entry[] {
    return resources.map((resource) => {
      const key = keyOf({ type: resource.type, id: idOf(text, resource) });
      const entry = { text, resource };
      if (!this.#entries.has(key)) this.#entries.set(key, entry);
      return entry;
    });
  }
}

const idOf = (text: Buffer, { idStart, idEnd }: ScannedResource) => stringIn(text, idStart, idEnd);

/** Inflates all at once, because each call has a high fixed cost. */
function open(sources: Source[]): Kept[] {
  if (sources.length === 0) return [];
  const text = plainBody(
    sources.map(({ piece }) => piece),
    "",
  );
  let end = 0;
  return sources.map((source) => {
    const start = end + (source.isFollowing ? COMMA.length : 0);
    end += source.piece.length;
    return {
      source,
      text,
      resources: scanResources(text, start, end, source.count),
      isWhole: true,
    };
  });
}

function writeList(draft: Draft, list: Kept[], rules: Rules): void {
  let isFirst = true;
  for (const kept of list) {
    const { source, text, resources, written } = kept;
    const { piece, isFollowing, lastMatchAt } = source;
    if (written) {
      if (!isFirst) draft.add(COMMA);
      draft.add(written);
      isFirst = false;
    } else if (isAsStored(kept, rules)) {
      if (!isFirst && !isFollowing) draft.add(COMMA);
      draft.stored(isFirst && isFollowing ? withoutComma(piece) : piece);
      isFirst = false;
    } else {
      for (const resource of resources) {
        if (!isFirst) draft.add(COMMA);
        isFirst = false;
        const rule = rules.get(resource.type);
        const write = () => writeResource(draft, text, resource, rule, lastMatchAt);
        if (rule && isFollowing)
          rememberWritten(rule.key, piece, lastMatchAt, draft.capture(write));
        else write();
      }
    }
  }
}

function isAsStored({ text, resources, isWhole }: Kept, rules: Rules): boolean {
  return isWhole && resources.every((one) => isUnchanged(text, one, rules.get(one.type)));
}
