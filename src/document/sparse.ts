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
  of(resource: string): string {
    let kept = "";
    let at = 0;
    do {
      const start = at + 1;
      const value = endOfValue(resource, start) + 1;
      const name = resource.slice(start, value);
      if (name === '"attributes":' || name === '"relationships":') {
        const chosen = this.#members(resource, value);
        at = chosen.end;
        if (chosen.kept !== "") kept += `,${name}{${chosen.kept.slice(1)}}`;
      } else {
        at = endOfValue(resource, value);
        kept += `,${resource.slice(start, at)}`;
      }
    } while (resource.charCodeAt(at) === COMMA);
    return `{${kept.slice(1)}}`;
  }

  /** Those members of an object, each after a comma, and where the object ends. */
  #members(text: string, object: number): { kept: string; end: number } {
    let kept = "";
    let at = object;
    if (text.charCodeAt(object + 1) === CLOSE) return { kept, end: object + 2 };
    do {
      const start = at + 1;
      const initial = text.charCodeAt(start + 1);
      // Names are sorted, but for numbers.
      if (initial > this.#last && initial >= SMALL_A && initial <= SMALL_Z) {
        return { kept, end: endOfObject(text, start) };
      }
      const value = endOfValue(text, start) + 1;
      at = endOfValue(text, value);
      if (this.#names.has(text.slice(start, value))) kept += `,${text.slice(start, at)}`;
    } while (text.charCodeAt(at) === COMMA);
    return { kept, end: at + 1 };
  }
}

const BETWEEN = '},"relationships":{';

/** Where the attributes or relationships end that have a member here. */
function endOfObject(resource: string, member: number): number {
  // Most resources end with their relationships; a member of the attributes is not followed by the end of the resource.
  const found = resource.lastIndexOf(BETWEEN);
  const isLast =
    found > member && endOfValue(resource, found + BETWEEN.length - 1) === resource.length - 1;
  return isLast ? found + 1 : endOfValue(resource, member, 1);
}

/** Where the string, number, list or object that starts here ends, or the object around it. */
function endOfValue(text: string, start: number, depth = 0): number {
  for (let at = start; at < text.length; at++) {
    const character = text.charCodeAt(at);
    if (character === QUOTE) {
      for (at++; text.charCodeAt(at) !== QUOTE; at++) {
        if (text.charCodeAt(at) === BACKSLASH) at++;
        else if (at >= text.length) break;
      }
      if (depth === 0) return at + 1;
    } else if (character === OPEN || character === OPEN_LIST) depth++;
    else if (character === CLOSE || character === CLOSE_LIST) {
      // After a number or a word, the end belongs to what it is in.
      if (depth <= 1) return at + depth;
      depth--;
    } else if (character === COMMA && depth === 0) return at;
  }
  throw new Error("A stored resource is not canonical JSON.");
}
