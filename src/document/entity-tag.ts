/** Entity tags: which bytes an ETag stands for, and whether a caller has them already. */

import { crc32 } from "node:zlib";
import { mixed } from "./crc32.ts";
import type { Document } from "./stitch.ts";

export type Encoding = "gzip" | "identity";

/** For single resources: another tag for every other sequence of bytes, per encoding. */
export function strongTag({ content, rest }: Document, encoding: Encoding): string {
  const hash = hashOf(content, crc32(rest));
  return encoding === "gzip" ? `"${hash}-gzip"` : `"${hash}"`;
}

/** For collections: the same tag as long as the same records are in it, whatever time it is. */
export function weakTag({ content }: Document): string {
  return `W/"${hashOf(content, 0)}"`;
}

/** Whether an If-None-Match header names this tag; compared weakly, as it is for reading. */
export function namesTag(header: string, tag: string): boolean {
  if (header === tag) return true;
  const opaque = tag.replace(/^W\//, "");
  return header
    .split(",")
    .map((one) => one.trim())
    .some((one) => one === "*" || one.replace(/^W\//, "") === opaque);
}

/**
 * 64 bits from the checksums that the pieces have anyway: that of the plain bytes in one half, that
 * of the stored ones in the other, each mixed so that the order counts.
 */
function hashOf(pieces: Document["content"], seed: number): string {
  let one = seed;
  let other = ~seed;
  for (const { crc, mark, length } of pieces) {
    one = mixed(one ^ crc);
    other = mixed(other ^ mark) + length;
  }
  return (mixed(one) >>> 0).toString(36) + (mixed(other) >>> 0).toString(36).padStart(7, "0");
}
