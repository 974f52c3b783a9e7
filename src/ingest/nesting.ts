/** In charge of texts that nest so deeply that parsing them would take memory without measure. */

import { BACKSLASH, CLOSE_ARRAY, CLOSE_OBJECT, OPEN_ARRAY, OPEN_OBJECT, QUOTE } from "./bytes.ts";

/** Far deeper than any record that is taken in. */
const DEEPEST_TEXT = 1000;
/** Shorter texts cannot do harm, and are not looked at. */
const HARMLESS_BYTES = 64 * 1024;

/** Whether a text is long and has so many brackets open at once that it is not worth parsing. */
export function isAbysmal(text: Uint8Array): boolean {
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
      if (++depth > DEEPEST_TEXT) return true;
    } else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) depth--;
  }
  return false;
}
