/** The format of API keys, their hash, and the Authorization header. */

import { randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";

// The prefix lets secret scanners find leaked keys. The checksum lets the server reject a mistyped
// key without a lookup.
const PREFIX = "mb_";
const RANDOM_LENGTH = 32;
const CHECKSUM_LENGTH = 6;
const PAYLOAD_LENGTH = PREFIX.length + RANDOM_LENGTH;
const KEY_LENGTH = PAYLOAD_LENGTH + CHECKSUM_LENGTH;

const KEY = /^mb_[0-9A-Za-z]{38}$/;

/** Any credentials of the Bearer scheme. */
export const BEARER = /^bearer +(\S+)$/i;
// Allows a few extra spaces. Longer headers are rejected.
const MAX_HEADER_LENGTH = "Bearer ".length + KEY_LENGTH + 16;

const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
// Larger bytes would favour the first digits, so they are discarded.
const UNBIASED_BYTES = 256 - (256 % BASE62.length);

export function makeKey(): string {
  const payload = PREFIX + randomBase62(RANDOM_LENGTH);
  return payload + checksum(payload);
}

export const makeKeyId = (): string => `k_${randomBase62(10)}`;

/** Checks the format and the checksum only. */
export function looksLikeKey(text: string): boolean {
  return (
    text.length === KEY_LENGTH &&
    KEY.test(text) &&
    checksum(text.slice(0, PAYLOAD_LENGTH)) === text.slice(PAYLOAD_LENGTH)
  );
}

/** SHA-256 in hex. A key has 190 random bits, so it needs no slow hash. */
export function hashKey(text: string): string {
  return Bun.CryptoHasher.hash("sha256", text, "hex");
}

/** The key in `Bearer <key>`, if its format and checksum are valid. */
export function keyInHeader(authorization: string | null): string | undefined {
  if (authorization === null || authorization.length > MAX_HEADER_LENGTH) return undefined;
  const token = BEARER.exec(authorization)?.[1];
  return token !== undefined && looksLikeKey(token) ? token : undefined;
}

function checksum(payload: string): string {
  let text = "";
  for (let rest = crc32(payload); text.length < CHECKSUM_LENGTH; rest = Math.floor(rest / 62)) {
    text = BASE62[rest % 62] + text;
  }
  return text;
}

export function randomBase62(length: number): string {
  let text = "";
  while (text.length < length) {
    for (const byte of randomBytes(length - text.length)) {
      if (byte < UNBIASED_BYTES) text += BASE62[byte % BASE62.length];
    }
  }
  return text;
}
