/** In charge of reading a key out of an Authorization header. */

import { KEY_LENGTH, looksLikeKey } from "./key.ts";

const SCHEME = "Bearer ";
/** Any credentials of this scheme. */
export const BEARER = /^bearer +(\S+)$/i;

const USUAL = SCHEME.length + KEY_LENGTH;

// Room for a few more blanks than the one that is usual; anything longer is not worth reading.
const LONGEST = USUAL + 16;

/** The key of `Bearer <key>`, if that is what the header holds and the key's checksum is right. */
export function keyInHeader(authorization: string | null): string | undefined {
  if (authorization === null || authorization.length > LONGEST) return undefined;
  // As nearly everybody writes it; the rest is read more carefully.
  const token =
    authorization.length === USUAL && authorization.startsWith(SCHEME)
      ? authorization.slice(SCHEME.length)
      : BEARER.exec(authorization)?.[1];
  return token !== undefined && looksLikeKey(token) ? token : undefined;
}
