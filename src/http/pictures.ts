/** Serves the operator's pictures of heroes and items from a folder. */

import { join } from "node:path";
import { namesTag } from "../document/entity-tag.ts";
import type { ApiRequest } from "./request.ts";

/** By extension, the preferred one first. */
const TYPES: readonly [extension: string, type: string][] = [
  [".webp", "image/webp"],
  [".avif", "image/avif"],
  [".png", "image/png"],
  [".jpg", "image/jpeg"],
  [".svg", "image/svg+xml"],
];

/** A tile shows a few thousand pixels. */
const LARGEST_BYTES = 512 * 1024;

const HEADERS = {
  // An SVG opened on its own runs nothing.
  "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox",
  "Cross-Origin-Resource-Policy": "same-origin",
  "X-Content-Type-Options": "nosniff",
};

export class Pictures {
  /** Paths within the folder at the start: nothing else is opened, whatever a request names. */
  readonly #paths: ReadonlySet<string>;

  constructor(private readonly folder: string) {
    const pictures = new Bun.Glob("{heroes,items}/*");
    this.#paths = new Set(pictures.scanSync({ cwd: folder, followSymlinks: true }));
  }

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
    const found = TYPES.find(([extension]) => this.#paths.has(`${kind}/${name}${extension}`));
    if (!found) return undefined;
    const [extension, type] = found;
    const file = Bun.file(join(this.folder, kind, name + extension));
    const isThere = await file.exists();
    return isThere && file.size <= LARGEST_BYTES ? { file, type } : undefined;
  }
}
