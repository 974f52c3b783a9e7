/** Computes entity tags and compares them with If-None-Match. */

import { crc32 } from "node:zlib";
import { mixed } from "./crc32.ts";
import type { Document } from "./stitch.ts";

export type Encoding = "gzip" | "identity";

/** For single resources: depends on every byte and on the encoding. */
export function strongTag({ content, rest }: Document, encoding: Encoding): string {
  const hash = hashOf(content, crc32(rest));
  return encoding === "gzip" ? `"${hash}-gzip"` : `"${hash}"`;
}

/** For collections: depends on the records only, not on links and times. */
export function weakTag({ content }: Document): string {
  return `W/"${hashOf(content, 0)}"`;
}

/** Uses weak comparison, as RFC 9110 requires for If-None-Match. */
export function namesTag(header: string, tag: string): boolean {
  if (header === tag) return true;
  const opaque = tag.replace(/^W\//, "");
  return header
    .split(",")
    .map((one) => one.trim())
    .some((one) => one === "*" || one.replace(/^W\//, "") === opaque);
}

/**
 * 64 bits from the checksums of the pieces: plain bytes in one half, stored bytes in the other. The
 * order of the pieces counts.
 */
function hashOf(pieces: Document["content"], seed: number): string {
  let one = seed;
  let other = ~seed;
  for (const { crc, storedCrc, length } of pieces) {
    one = mixed(one ^ crc);
    other = mixed(other ^ storedCrc) + length;
  }
  return (mixed(one) >>> 0).toString(36) + (mixed(other) >>> 0).toString(36).padStart(7, "0");
}
