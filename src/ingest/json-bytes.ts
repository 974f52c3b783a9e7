/** The structural bytes of JSON text, and how deeply they nest it. */

export const QUOTE = 0x22;
export const BACKSLASH = 0x5c;
export const OPEN_ARRAY = 0x5b;
export const CLOSE_ARRAY = 0x5d;
export const OPEN_OBJECT = 0x7b;
export const CLOSE_OBJECT = 0x7d;
export const COMMA = 0x2c;
export const COLON = 0x3a;
export const NEWLINE = 0x0a;

export const isBlank = (byte: number) =>
  byte === 0x20 || byte === NEWLINE || byte === 0x0d || byte === 0x09;

/** Far deeper than any valid record. */
const MAX_TEXT_DEPTH = 1000;
/** Shorter texts are harmless and not checked. */
const HARMLESS_BYTES = 64 * 1024;

/** Whether a long text opens so many brackets at once that parsing it would take unbounded memory. */
export function isTooDeep(text: Uint8Array): boolean {
  if (text.length <= HARMLESS_BYTES) return false;
  let depth = 0;
  let inString = false;
  for (let at = 0; at < text.length; at++) {
    const byte = text[at]!;
    if (inString) {
      if (byte === BACKSLASH) at++;
      else if (byte === QUOTE) inString = false;
    } else if (byte === QUOTE) inString = true;
    else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) {
      if (++depth > MAX_TEXT_DEPTH) return true;
    } else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) depth--;
  }
  return false;
}
