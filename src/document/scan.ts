/**
 * Finds resources and their members in stored JSON without parsing it. Relies on what canonical.ts has written in
 * every version: no white space; `type`, `id`, `attributes` and `relationships` of a resource in this order; the
 * members of all objects within them sorted by name.
 */

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_LIST = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_LIST = 0x5d;
const OPEN = 0x7b;
const CLOSE = 0x7d;

/** Positions in the text. Ends are exclusive. Where there is no such member, its start is 0. */
export interface ScannedResource {
  type: string;
  start: number;
  end: number;
  /** The id without its quotes. */
  idStart: number;
  idEnd: number;
  attributes: number;
  attributesEnd: number;
  relationships: number;
  relationshipsEnd: number;
}

/** The resources of a list without brackets. `count` is how many there are, if that is known. */
export function scanResources(
  text: Buffer,
  start: number,
  end: number,
  count: number | undefined,
): ScannedResource[] {
  if (count !== undefined) {
    const found = scanList(text, start, end, true);
    // Jumps miss a resource that does not start with its type: numeric names of other members come first.
    if (found.length === count) return found;
  }
  return scanList(text, start, end, false);
}

function scanList(text: Buffer, start: number, end: number, jumps: boolean): ScannedResource[] {
  const found: ScannedResource[] = [];
  for (let at = start; at < end; ) {
    if (at > start) expect(text[at++] === COMMA);
    const resource = scanResource(text, at, end, jumps);
    found.push(resource);
    at = resource.end;
  }
  return found;
}

const NAMES = {
  type: Buffer.from('"type":'),
  id: Buffer.from('"id":'),
  attributes: Buffer.from('"attributes":'),
  relationships: Buffer.from('"relationships":'),
};

function scanResource(
  text: Buffer,
  start: number,
  listEnd: number,
  jumps: boolean,
): ScannedResource {
  const found = {
    type: "",
    start,
    end: 0,
    idStart: 0,
    idEnd: 0,
    attributes: 0,
    attributesEnd: 0,
    relationships: 0,
    relationshipsEnd: 0,
  };
  let end = 0;
  for (let name = firstMember(text, start); name > 0; name = memberAfter(text, end)) {
    const value = valueAfter(text, name);
    if (hasAt(text, name, NAMES.attributes)) {
      expect(found.idStart > 0);
      found.attributes = value;
      if (jumps && jumpToEnd(text, value, listEnd, found)) return found;
      end = endOfValue(text, value);
      found.attributesEnd = end;
      continue;
    }
    end = endOfValue(text, value);
    if (hasAt(text, name, NAMES.type)) {
      found.type = typeIn(text, value, end);
    } else if (hasAt(text, name, NAMES.id)) {
      found.idStart = value + 1;
      found.idEnd = end - 1;
    } else if (hasAt(text, name, NAMES.relationships)) {
      expect(value > found.idEnd && found.idEnd > 0);
      found.relationships = value;
      found.relationshipsEnd = end;
    }
  }
  found.end = end + 1;
  expect(found.idStart > 0 && found.end <= listEnd);
  expect(found.relationships === 0 || found.relationships > found.attributes);
  return found;
}

/** Only resources have a `type` directly before the `id`: in references and other objects, `id` is first. */
const NEXT = Buffer.from(',{"type":');
const NEXT_ID = Buffer.from(',"id":');
const AFTER_ATTRIBUTES = Buffer.from('},"relationships":{');

/**
 * Finds the end of attributes by searching, which is faster than reading them, if the resource ends in relationships.
 * A member of that name within the attributes is not followed by the end of the resource.
 */
function jumpToEnd(text: Buffer, start: number, listEnd: number, found: ScannedResource): boolean {
  if (!isObjectAt(text, start)) return false;
  let end = text.indexOf(NEXT, start);
  if (end === -1 || end > listEnd) end = listEnd;
  else if (!hasAt(text, endOfValue(text, end + NEXT.length), NEXT_ID)) return false;
  // A view, because the search would not stop at the start.
  const offset = text.subarray(start, end).lastIndexOf(AFTER_ATTRIBUTES);
  if (offset === -1) return false;
  const relationships = start + offset + AFTER_ATTRIBUTES.length - 1;
  const relationshipsEnd = endOfValue(text, relationships);
  if (relationshipsEnd + 1 !== end) return false;
  found.attributesEnd = start + offset + 1;
  found.relationships = relationships;
  found.relationshipsEnd = relationshipsEnd;
  found.end = end;
  return true;
}

/** The position of the name of an object's first member; 0 if it is empty. */
export function firstMember(text: Buffer, object: number): number {
  expect(isObjectAt(text, object));
  return text[object + 1] === CLOSE ? 0 : object + 1;
}

/** The position of the next name after the end of a value; 0 if that was the last member. */
export function memberAfter(text: Buffer, end: number): number {
  if (text[end] === CLOSE) return 0;
  expect(text[end] === COMMA);
  return end + 1;
}

/** The position of a member's value. */
export function valueAfter(text: Buffer, name: number): number {
  expect(text[name] === QUOTE);
  return endOfString(text, name) + 1;
}

export const isObjectAt = (text: Buffer, at: number): boolean => text[at] === OPEN;

/** The end of the value that starts here. */
export function endOfValue(text: Buffer, start: number): number {
  let depth = 0;
  for (let at = start; ; at++) {
    const byte = text[at];
    if (byte === QUOTE) {
      at = endOfString(text, at) - 1;
      if (depth === 0) return at + 1;
    } else if (byte === OPEN || byte === OPEN_LIST) {
      depth++;
    } else if (byte === CLOSE || byte === CLOSE_LIST) {
      // After a number or a word, the end belongs to what it is in.
      if (depth === 0) return at;
      if (--depth === 0) return at + 1;
    } else if (byte === COMMA && depth === 0) {
      return at;
    } else if (byte === undefined) {
      throw notCanonical();
    }
  }
}

function endOfString(text: Buffer, quote: number): number {
  for (let at = quote + 1; ; at++) {
    const byte = text[at];
    if (byte === QUOTE) return at + 1;
    if (byte === BACKSLASH) at++;
    else if (byte === undefined) throw notCanonical();
  }
}

/** The string between two quotes. */
export function stringIn(text: Buffer, start: number, end: number): string {
  const ascii = text.toString("latin1", start, end);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ASCII characters
  return /^[\x00-\x5b\x5d-\x7f]*$/.test(ascii)
    ? ascii
    : JSON.parse(`"${text.toString("utf8", start, end)}"`);
}

/** Types seen before, with their quotes. Comparing bytes is faster than making a string. */
const types: { bytes: Buffer; type: string }[] = [];
const MAX_TYPES = 16;

function typeIn(text: Buffer, start: number, end: number): string {
  for (const { bytes, type } of types) if (hasAt(text, start, bytes)) return type;
  const type = stringIn(text, start + 1, end - 1);
  if (types.length < MAX_TYPES) types.push({ bytes: Buffer.from(text.subarray(start, end)), type });
  return type;
}

/** Whether the text has these bytes here. */
export function hasAt(text: Buffer, start: number, bytes: Uint8Array): boolean {
  const { length } = bytes;
  for (let at = 0; at < length; at++) if (text[start + at] !== bytes[at]) return false;
  return true;
}

function expect(isExpected: boolean): void {
  if (!isExpected) throw notCanonical();
}

const notCanonical = () => new Error("A stored resource is not canonical JSON.");
