/** In charge of entity tags: which bytes a reply's ETag stands for, and when a caller has them. */

import type { Piece } from "./fragment.ts";
import type { Document } from "./stitch.ts";

export type Encoding = "gzip" | "identity";

/** For single resources: another tag for every other sequence of bytes, per encoding. */
export function strongTag(document: Document, encoding: Encoding): string {
  const hash = hashOf([...document.content, document.rest]);
  return `"${hash}${encoding === "gzip" ? "-gzip" : ""}"`;
}

/** For collections: the same tag as long as the same records are in it, whatever time it is. */
export function weakTag(document: Document): string {
  return `W/"${hashOf(document.content)}"`;
}

/** Whether an If-None-Match header names this tag; compared weakly, as it is for reading. */
export function namesTag(header: string, tag: string): boolean {
  const opaque = tag.replace(/^W\//, "");
  return header
    .split(",")
    .map((one) => one.trim())
    .some((one) => one === "*" || one.replace(/^W\//, "") === opaque);
}

function hashOf(pieces: readonly Piece[]): string {
  let hash = 0n;
  for (const piece of pieces) hash = Bun.hash.wyhash(piece.deflated, hash);
  return hash.toString(36);
}
