/**
 * Finds members of resources in stored JSON without parsing it. Relies on what canonical.ts has written: no white space,
 * and every string in one form only.
 */

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_LIST = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_LIST = 0x5d;
const OPEN = 0x7b;
const CLOSE = 0x7d;
const SMALL_A = 0x61;
const SMALL_Z = 0x7a;

/** A text with a character for each of its bytes. */
export const asBytes = (text: string): string => Buffer.from(text).toString("latin1");

/** A resource in a longer text. Its type and id end at `head`. */
export interface TextRange {
  text: string;
  start: number;
  head: number;
  end: number;
}

const ATTRIBUTES = '"attributes":';
const RELATIONSHIPS = '"relationships":';

/** Chosen fields. */
export class Fields {
  /** With quotes and the colon, a character for each byte. */
  readonly #names: ReadonlySet<string>;
  /** The highest first character. */
  readonly #last: number;

  constructor(names: ReadonlySet<string>) {
    this.#names = new Set([...names].map((name) => asBytes(`${JSON.stringify(name)}:`)));
    this.#last = Math.max(0, ...[...this.#names].map((name) => name.charCodeAt(1)));
  }

  /** A resource with these fields only. Attributes or relationships of which nothing is left are left out. */
  of({ text, start, head, end }: TextRange): string {
    let kept = text.slice(start, head);
    let at = head;
    while (text.charCodeAt(at) === COMMA) {
      const value = endOfString(text, at + 1) + 1;
      const name = text.slice(at + 1, value);
      if (name === ATTRIBUTES || name === RELATIONSHIPS) {
        const chosen = this.#members(text, value, end);
        at = chosen.end;
        if (chosen.kept !== "") kept += `,${name}{${chosen.kept.slice(1)}}`;
      } else {
        const next = endOfValue(text, value);
        kept += text.slice(at, next);
        at = next;
      }
    }
    return `${kept}}`;
  }

  /** Those members of an object, each after a comma, and where the object ends. */
  #members(text: string, object: number, end: number): { kept: string; end: number } {
    let kept = "";
    let at = object;
    if (text.charCodeAt(object + 1) === CLOSE) return { kept, end: object + 2 };
    do {
      const start = at + 1;
      const initial = text.charCodeAt(start + 1);
      // Names are sorted, but for numbers.
      if (initial > this.#last && initial >= SMALL_A && initial <= SMALL_Z) {
        return { kept, end: endOfObject(text, start, end) };
      }
      const value = endOfString(text, start) + 1;
      at = endOfValue(text, value);
      if (this.#names.has(text.slice(start, value))) kept += `,${text.slice(start, at)}`;
    } while (text.charCodeAt(at) === COMMA);
    return { kept, end: at + 1 };
  }
}

const BETWEEN = '},"relationships":{';

/**
 * Where the relationships start, after `start`, of a resource that ends at `end`, if nothing follows them, as in most;
 * otherwise -1.
 */
export function lastRelationships(text: string, start: number, end: number): number {
  // In a copy, because the search would not stop at the start.
  const before = text.slice(start, end).lastIndexOf(BETWEEN);
  if (before === -1) return -1;
  const at = start + before + BETWEEN.length - 1;
  // A member of the attributes is not followed by the end of the resource.
  return endOfValue(text, at) === end - 1 ? at : -1;
}

/** Where the attributes or relationships end that have a member here. */
function endOfObject(text: string, member: number, end: number): number {
  const next = lastRelationships(text, member, end);
  return next === -1 ? endOfValue(text, member, 1) : next - RELATIONSHIPS.length - 1;
}

/** Where the string, number, list or object that starts here ends, or the object around it. */
function endOfValue(text: string, start: number, depth = 0): number {
  for (let at = start; at < text.length; at++) {
    const character = text.charCodeAt(at);
    if (character === QUOTE) {
      at = endOfString(text, at) - 1;
      if (depth === 0) return at + 1;
    } else if (character === OPEN || character === OPEN_LIST) depth++;
    else if (character === CLOSE || character === CLOSE_LIST) {
      // After a number or a word, the end belongs to what it is in.
      if (depth <= 1) return at + depth;
      depth--;
    } else if (character === COMMA && depth === 0) return at;
  }
  throw notCanonical();
}

function endOfString(text: string, quote: number): number {
  for (let at = quote + 1; ; at += 1) {
    const end = text.indexOf('"', at);
    if (end === -1) throw notCanonical();
    let escapes = end - 1;
    while (text.charCodeAt(escapes) === BACKSLASH) escapes -= 1;
    if ((end - escapes) & 1) return end + 1;
    at = end;
  }
}

const notCanonical = () => new Error("A stored resource is not canonical JSON.");
