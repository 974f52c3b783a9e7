/** In charge of base62: random text without bias, and numbers in a fixed width. */

import { randomBytes } from "node:crypto";

const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

// A byte at or above the largest multiple of 62 would favour the first digits; it is thrown away.
const FAIR_BYTES = 256 - (256 % DIGITS.length);

export function randomBase62(length: number): string {
  let text = "";
  while (text.length < length) {
    for (const byte of randomBytes(length - text.length)) {
      if (byte < FAIR_BYTES) text += DIGITS[byte % DIGITS.length];
    }
  }
  return text;
}

/** The number in base62, padded to `width`, which must be wide enough for it. */
export function toBase62(number: number, width: number): string {
  let text = "";
  for (let rest = number; text.length < width; rest = Math.floor(rest / DIGITS.length)) {
    text = DIGITS[rest % DIGITS.length] + text;
  }
  return text;
}
