/** In charge of what an API key looks like, and of the hash that stands for it at rest. */

import { crc32 } from "node:zlib";
import { randomBase62, toBase62 } from "./base62.ts";

// The prefix lets scanners for leaked secrets find keys; the checksum lets a mistyped key be
// refused without a look-up.
const PREFIX = "mb_";
const RANDOM_LENGTH = 32;
const CHECKSUM_LENGTH = 6;
const PAYLOAD_LENGTH = PREFIX.length + RANDOM_LENGTH;

export const KEY_LENGTH = PAYLOAD_LENGTH + CHECKSUM_LENGTH;

const KEY = /^mb_[0-9A-Za-z]{38}$/;

export function makeKey(): string {
  const payload = PREFIX + randomBase62(RANDOM_LENGTH);
  return payload + checksum(payload);
}

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

function checksum(payload: string): string {
  return toBase62(crc32(payload), CHECKSUM_LENGTH);
}
