/** Serves the operator's pictures of heroes and items from a folder. */

import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { namesTag } from "../document/entity-tag.ts";
import type { ApiRequest } from "./request.ts";

const KINDS = ["heroes", "items"] as const;
type Kind = (typeof KINDS)[number];

/** By extension, the preferred one first. */
const TYPES: readonly [extension: string, type: string][] = [
  [".webp", "image/webp"],
  [".avif", "image/avif"],
  [".png", "image/png"],
  [".jpg", "image/jpeg"],
  [".svg", "image/svg+xml"],
];

/** Letters and digits of any script, joined by "-": no path. */
const NAME = /^[\p{L}\p{N}]+(?:-[\p{L}\p{N}]+)*$/u;
const LONGEST_NAME = 64;

/** A tile shows a few thousand pixels. */
const LARGEST_BYTES = 512 * 1024;

/** How soon a new picture is found. */
const LISTED_FOR_MS = 10_000;

const HEADERS = {
  // An SVG opened on its own runs nothing.
  "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox",
  "Cross-Origin-Resource-Policy": "same-origin",
  "X-Content-Type-Options": "nosniff",
};

/** The file names in a folder, as they were a moment ago. */
interface Listing {
  names: Promise<ReadonlySet<string>>;
  at: number;
}

export class Pictures {
  readonly #listings = new Map<Kind, Listing>();

  constructor(
    private readonly folder: string,
    private readonly monotonic: () => number,
  ) {}

  async answer({ raw, requestId }: ApiRequest, kind: string, name: string): Promise<Response> {
    const found = await this.#find(kind, name);
    const headers: Record<string, string> = { ...HEADERS, "X-Request-Id": requestId };
    if (!found) {
      // A page asks for the picture of every hero and item.
      headers["Cache-Control"] = "public, max-age=60";
      return new Response(null, { status: 404, headers });
    }
    const { file, type } = found;
    const tag = `W/"${file.size.toString(36)}-${file.lastModified.toString(36)}"`;
    Object.assign(headers, { "Cache-Control": "public, max-age=3600", ETag: tag });
    const known = raw.headers.get("if-none-match");
    if (known !== null && namesTag(known, tag)) return new Response(null, { status: 304, headers });
    return new Response(await file.bytes(), { headers: { ...headers, "Content-Type": type } });
  }

  /** Undefined if there is no such picture, or it is too large. */
  async #find(kind: string, name: string) {
    const known = KINDS.find((one) => one === kind);
    if (known === undefined || name.length > LONGEST_NAME || !NAME.test(name)) return undefined;
    const names = await this.#namesOf(known);
    for (const [extension, type] of TYPES) {
      if (!names.has(name + extension)) continue;
      const file = Bun.file(join(this.folder, known, name + extension));
      const isThere = await file.exists();
      return isThere && file.size <= LARGEST_BYTES ? { file, type } : undefined;
    }
    return undefined;
  }

  /** One list for many requests: most heroes and items may have no picture. */
  #namesOf(kind: Kind): Promise<ReadonlySet<string>> {
    const listing = this.#listings.get(kind);
    if (listing && this.monotonic() - listing.at < LISTED_FOR_MS) return listing.names;
    const names = readdir(join(this.folder, kind)).then(
      (found) => new Set(found),
      () => new Set<string>(),
    );
    this.#listings.set(kind, { names, at: this.monotonic() });
    return names;
  }
}
