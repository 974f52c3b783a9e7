/** Serves the web portal: its page, its assets, and their security and cache headers. */

import { gunzipSync, gzipSync } from "node:zlib";
import { namesTag } from "../document/entity-tag.ts";
import { acceptedEncodings } from "./negotiate.ts";
import { type Pack, type PackedFile, readPack } from "./portal-assets.ts";
import type { ApiRequest } from "./request.ts";

/** What a route of the portal serves: the page, an asset, or nothing. */
export type Opens = "page" | "asset" | "nothing";

/** Everything is loaded from this server, and nothing is inlined. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** Of every page, also on the admin listener. */
export const COMMON_HEADERS = {
  "Content-Security-Policy": POLICY,
  "Cross-Origin-Opener-Policy": "same-origin",
  "Referrer-Policy": "no-referrer",
  "X-Content-Type-Options": "nosniff",
  Vary: "Accept-Encoding",
};

/** The names of assets change with their content. The page refers to them, so it is revalidated each time. */
const CACHING = {
  page: "no-cache",
  asset: "public, max-age=31536000, immutable",
  nothing: "no-store",
} as const;

/** Shown until the portal is built. */
const UNBUILT = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Matchbook</title></head>
<body>
<h1>The portal is not built yet</h1>
<p>Run <code>npm run portal</code> in the Matchbook folder, then restart the server.</p>
<p>The API is available: see <a href="/status">/status</a> and
<a href="/openapi.json">/openapi.json</a>.</p>
</body>
</html>
`;

/** The tag in the page that holds the demo key. */
const OFFER_TAG = '<meta name="matchbook-offer" content="">';

export class Portal {
  readonly #offeredKey: string | undefined;
  #pack: Promise<Pack | undefined> | undefined;

  /** `offeredKey` is offered to every visitor, in demo mode only. */
  constructor(offeredKey?: string) {
    this.#offeredKey = offeredKey;
  }

  async answer(request: ApiRequest, opens: Opens, assetName: string): Promise<Response> {
    // Loaded on the first visit, since many servers never have one.
    this.#pack ??= this.#read();
    const pack = await this.#pack;
    if (!pack) return send(request, pageOf(UNBUILT), 503, "nothing");
    if (opens === "page") return send(request, pack.page, 200, "page");
    const asset = opens === "asset" ? pack.assets.get(assetName) : undefined;
    return asset ? send(request, asset, 200, "asset") : send(request, pack.page, 404, "nothing");
  }

  async #read(): Promise<Pack | undefined> {
    const pack = await readPack();
    if (!pack || this.#offeredKey === undefined) return pack;
    const plain = gunzipSync(pack.page.gzip).toString();
    const offer = OFFER_TAG.replace('""', `"${this.#offeredKey}"`);
    return { ...pack, page: pageOf(plain.replace(OFFER_TAG, offer)) };
  }
}

const pageOf = (text: string): PackedFile => ({
  type: "text/html; charset=utf-8",
  tag: `W/"${Bun.hash(text).toString(36)}"`,
  gzip: gzipSync(text),
});

type Bytes = Uint8Array<ArrayBuffer>;

/** Decompressing a file takes longer than anything else here, and needs no key: each is decompressed once. */
const decompressed = new WeakMap<PackedFile, Bytes>();

function plainBytes(file: PackedFile): Bytes {
  const known = decompressed.get(file) ?? (gunzipSync(file.gzip) as Bytes);
  decompressed.set(file, known);
  return known;
}

function send(
  { raw, requestId }: ApiRequest,
  file: PackedFile,
  status: number,
  caching: Opens,
): Response {
  const { type, tag } = file;
  const headers: Record<string, string> = {
    ...COMMON_HEADERS,
    "Cache-Control": CACHING[caching],
    "X-Request-Id": requestId,
  };
  if (status === 200) {
    headers.ETag = tag;
    const known = raw.headers.get("if-none-match");
    if (known !== null && namesTag(known, tag)) return new Response(null, { status: 304, headers });
  }
  headers["Content-Type"] = type;
  const isGzip = acceptedEncodings(raw.headers.get("accept-encoding")).includes("gzip");
  if (isGzip) headers["Content-Encoding"] = "gzip";
  return new Response(isGzip ? (file.gzip as Bytes) : plainBytes(file), { status, headers });
}
