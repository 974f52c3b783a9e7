/**
 * Finds the members of resources in stored JSON without parsing it. Relies on what canonical.ts has written: no white
 * space, and every string in one form only.
 */

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_LIST = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_LIST = 0x5d;
const OPEN = 0x7b;
const CLOSE = 0x7d;

/** A member of an object: where its name, its value and the value's own members are. Ends are exclusive. */
export interface Member {
  start: number;
  value: number;
  end: number;
  /** Empty unless the value is an object. */
  members: Member[];
}

const NONE: Member[] = [];

/** The members of the object that starts here, down to a depth. */
export function membersAt(json: Uint8Array, object: number, depth: number): Member[] {
  if (json[object] !== OPEN || json[object + 1] === CLOSE) return NONE;
  const found: Member[] = [];
  let end = object;
  do {
    const start = end + 1;
    const value = endOfValue(json, start) + 1;
    const members = depth > 1 ? membersAt(json, value, depth - 1) : NONE;
    end = members.length > 0 ? members.at(-1)!.end + 1 : endOfValue(json, value);
    found.push({ start, value, end, members });
  } while (json[end] === COMMA);
  return found;
}

/** Where the string, number, list or object that starts here ends. */
function endOfValue(json: Uint8Array, start: number): number {
  let depth = 0;
  for (let at = start; at < json.length; at++) {
    const byte = json[at];
    if (byte === QUOTE) {
      for (at++; json[at] !== QUOTE; at++) {
        if (json[at] === BACKSLASH) at++;
        else if (at >= json.length) break;
      }
      if (depth === 0) return at + 1;
    } else if (byte === OPEN || byte === OPEN_LIST) depth++;
    else if (byte === CLOSE || byte === CLOSE_LIST) {
      // After a number or a word, the end belongs to what it is in.
      if (depth <= 1) return at + depth;
      depth--;
    } else if (byte === COMMA && depth === 0) return at;
  }
  throw new Error("A stored resource is not canonical JSON.");
}
