/** Computes entity tags and compares them with If-None-Match. */

import { crc32 } from "node:zlib";
import type { Document } from "./assemble.ts";

export type Encoding = "gzip" | "identity";

/** Tags of collections are weak: what moves with the clock may differ under the same tag. */
export type TagKind = "single" | "collection";

/**
 * The same for all encodings, so that a client may compare tags across them. Compressed bytes can differ from one
 * response to the next: such tags are weak.
 */
export function entityTag(
  { content, rest, lasting = rest }: Document,
  kind: TagKind,
  encoding: Encoding,
): string {
  const tag = `"${content.hash}${crc32(lasting).toString(36)}"`;
  return kind === "single" && encoding === "identity" ? tag : `W/${tag}`;
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
