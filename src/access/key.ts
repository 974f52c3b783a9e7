/** What an API key looks like, the hash that stands for it at rest, and how it is sent. */

import { randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";

// The prefix lets scanners for leaked secrets find keys; the checksum lets a mistyped key be
// refused without a look-up.
const PREFIX = "mb_";
const RANDOM_LENGTH = 32;
const CHECKSUM_LENGTH = 6;
const PAYLOAD_LENGTH = PREFIX.length + RANDOM_LENGTH;
const KEY_LENGTH = PAYLOAD_LENGTH + CHECKSUM_LENGTH;

const KEY = /^mb_[0-9A-Za-z]{38}$/;

const SCHEME = "Bearer ";
/** Any credentials of this scheme. */
export const BEARER = /^bearer +(\S+)$/i;
const USUAL_HEADER = SCHEME.length + KEY_LENGTH;
// Room for a few more spaces than the usual one; anything longer is not worth reading.
const LONGEST_HEADER = USUAL_HEADER + 16;

const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
// A byte at or above the largest multiple of 62 would favour the first digits; it is thrown away.
const FAIR_BYTES = 256 - (256 % BASE62.length);

export function makeKey(): string {
  const payload = PREFIX + randomBase62(RANDOM_LENGTH);
  return payload + checksum(payload);
}

export const makeKeyId = (): string => `k_${randomBase62(10)}`;

/** Whether the form and the checksum are right; says nothing about whether the key exists. */
export function looksLikeKey(text: string): boolean {
  return (
    text.length === KEY_LENGTH &&
    KEY.test(text) &&
    checksum(text.slice(0, PAYLOAD_LENGTH)) === text.slice(PAYLOAD_LENGTH)
  );
}

/** SHA-256 in hex. A key has 190 random bits, so that no slow hash is needed to protect it. */
export function hashKey(text: string): string {
  return Bun.CryptoHasher.hash("sha256", text, "hex");
}

/** The key of `Bearer <key>`, if that is what the header holds and the key's checksum is right. */
export function keyInHeader(authorization: string | null): string | undefined {
  if (authorization === null || authorization.length > LONGEST_HEADER) return undefined;
  // As nearly everybody writes it; the rest is read more carefully.
  const token =
    authorization.length === USUAL_HEADER && authorization.startsWith(SCHEME)
      ? authorization.slice(SCHEME.length)
      : BEARER.exec(authorization)?.[1];
  return token !== undefined && looksLikeKey(token) ? token : undefined;
}

function checksum(payload: string): string {
  let text = "";
  for (let rest = crc32(payload); text.length < CHECKSUM_LENGTH; rest = Math.floor(rest / 62)) {
    text = BASE62[rest % 62] + text;
  }
  return text;
}

function randomBase62(length: number): string {
  let text = "";
  while (text.length < length) {
    for (const byte of randomBytes(length - text.length)) {
      if (byte < FAIR_BYTES) text += BASE62[byte % BASE62.length];
    }
  }
  return text;
}
