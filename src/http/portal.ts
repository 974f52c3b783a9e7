/** Serves the web portal: its page, its assets, what crawlers read, and their security and cache headers. */

import { gunzipSync } from "node:zlib";
import type { Visitors } from "../access/visitors.ts";
import { namesTag } from "../document/entity-tag.ts";
import { formatTimestamp } from "../domain/time.ts";
import { acceptsBrotli, preferredEncoding } from "../endpoint/negotiate.ts";
import type { Pictures } from "./pictures.ts";
import { type Pack, type PackedFile, readPack } from "./portal-assets.ts";
import type { ApiRequest } from "./request.ts";

/** What a route of the portal serves. */
export type Opens = "page" | "asset" | "nothing" | "visitor-token" | "picture" | "robots" | "icon";

/** What the server writes into a page. Plain text, escaped when it is written. */
export interface PageHead {
  status: 200 | 404;
  /** For search engines and link previews. */
  title: string;
  description: string;
  /** Of this server, as the caller knows it. */
  baseUrl: string;
  path: string;
  kind: "website" | "profile";
  /** The names of the scripts that the page loads on demand: it loads them at once. */
  scripts: readonly string[];
  data: PageData;
}

/** What the scripts of the page would otherwise request first. */
export interface PageData {
  /** Undefined if visitors need a key. */
  token?: { token: string; expiresAt: number } | undefined;
  regions?: PageRegion[] | undefined;
  record?: PageRecord | undefined;
}

export interface PageRegion {
  id: string;
  available: boolean;
  newestMatch: string | null;
}

/** The response of the API to a request for this path. */
export interface PageRecord {
  path: string;
  status: number;
  /** JSON. */
  text: string;
}

/** Everything is loaded from this server, and nothing is inlined. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** Of every page, also on the admin listener. */
const COMMON_HEADERS = {
  "Content-Security-Policy": POLICY,
  "Cross-Origin-Opener-Policy": "same-origin",
  "Referrer-Policy": "no-referrer",
  "X-Content-Type-Options": "nosniff",
  Vary: "Accept-Encoding",
};

/**
 * The names of assets change with their content. The page refers to them, so it is revalidated each time. It contains a
 * token, and records that count against the limits of an address: no cache may give it to others.
 */
const CACHING = {
  page: "private, no-cache",
  asset: "public, max-age=31536000, immutable",
  nothing: "no-store",
  icon: "public, max-age=86400",
} as const;

/** Shown until the portal is built. */
const UNBUILT = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Matchbook</title></head>
<body>
<h1>The web pages are not built yet</h1>
<p>Run <code>npm run portal</code> in the Matchbook folder, then restart the server.</p>
<p>The API is available: see <a href="/status">/status</a> and
<a href="/openapi.json">/openapi.json</a>.</p>
</body>
</html>
`;

export interface PortalOptions {
  /** Offered to every visitor, in demo mode only. */
  offeredKey?: string | undefined;
  /** Undefined if visitors need a key. */
  visitors?: Pick<Visitors, "issue"> | undefined;
  /** Undefined if tiles show initials. */
  pictures?: Pictures | undefined;
}

/** The tags of index.html that the server replaces. */
const TITLE = /<title>.*?<\/title>/s;
const DESCRIPTION = /<meta name="description" content="[^"]*">\s*/;
const OFFER_TAG = '<meta name="matchbook-offer" content="">';

export class Portal {
  #pack: Promise<ReadPack | undefined> | undefined;

  constructor(private readonly options: PortalOptions = {}) {}

  /** `name` is that of the asset or picture. `head` is for pages. */
  async answer(
    request: ApiRequest,
    opens: Opens,
    name: string,
    head: PageHead | undefined,
  ): Promise<Response> {
    const { visitors, pictures } = this.options;
    if (opens === "visitor-token" && visitors) return sendToken(request, visitors);
    if (opens === "picture" && pictures) {
      return pictures.answer(request, request.path.split("/").at(-2)!, name);
    }
    if (opens === "robots") return sendRobots(request);
    // Loaded on the first visit, since many servers never have one.
    this.#pack ??= this.#read();
    const pack = await this.#pack;
    if (!pack) return sendUnbuilt(request);
    if (head) {
      // Not as replacement texts, in which "$&" of a name would be replaced.
      const text = pack.text
        .replace(TITLE, () => headTags(head, pack.iconUrl))
        .replace("</head>", () => `${loadedTags(head, pack, request.time)}</head>`);
      return sendFile(request, pageOf(text), head.status, head.status === 404 ? "nothing" : "page");
    }
    if (opens === "icon" && pack.icon) return sendFile(request, pack.icon, 200, "icon");
    const asset = opens === "asset" ? pack.assets.get(name) : undefined;
    return asset
      ? sendFile(request, asset, 200, "asset")
      : sendFile(request, pack.page, 404, "nothing");
  }

  async #read(): Promise<ReadPack | undefined> {
    const pack = await readPack();
    if (!pack) return undefined;
    const { offeredKey = "", visitors, pictures } = this.options;
    const metas = [
      OFFER_TAG.replace('""', `"${offeredKey}"`),
      visitors ? '<meta name="matchbook-visitors" content="on">' : "",
      pictures ? '<meta name="matchbook-pictures" content="on">' : "",
    ];
    const text = gunzipSync(pack.page.gzip)
      .toString()
      .replace(OFFER_TAG, metas.join(""))
      .replace(DESCRIPTION, "");
    // A bitmap, which previews and old browsers need, if there is one.
    const find = (start: string) => [...pack.assets].find(([name]) => name.startsWith(start));
    const [iconName, icon] = find("touch-icon-") ?? find("icon-") ?? [];
    const iconUrl = iconName && ASSETS + iconName;
    return { ...pack, text, page: pageOf(text), icon, iconUrl };
  }
}

/** The pack, with the tags of this server in its page. */
interface ReadPack extends Pack {
  text: string;
  icon: PackedFile | undefined;
  iconUrl: string | undefined;
}

const ASSETS = "/portal/assets/";

function headTags(head: PageHead, iconUrl?: string): string {
  const { title, description, baseUrl, path, kind } = head;
  // The host is the caller's, and need not be valid: these are texts, never parsed.
  const canonical = baseUrl + path;
  const meta = (name: string, content: string) =>
    `<meta name="${name}" content="${Bun.escapeHTML(content)}">`;
  const property = (name: string, content: string) =>
    `<meta property="og:${name}" content="${Bun.escapeHTML(content)}">`;
  return [
    `<title>${Bun.escapeHTML(title)}</title>`,
    meta("description", description),
    `<link rel="canonical" href="${Bun.escapeHTML(canonical)}">`,
    property("site_name", "Matchbook"),
    property("type", kind),
    property("title", title),
    property("description", description),
    property("url", canonical),
    ...(iconUrl === undefined ? [] : [property("image", baseUrl + iconUrl)]),
    meta("twitter:card", "summary"),
    meta("twitter:title", title),
    meta("twitter:description", description),
  ].join("\n    ");
}

/** After the main script, which browsers load first then: it is the largest. */
function loadedTags({ scripts, data }: PageHead, pack: ReadPack, now: number): string {
  const files = new Set(scripts.flatMap((name) => pack.scripts[name] ?? []));
  return [
    ...[...files].map((name) => `<link rel="modulepreload" href="${ASSETS}${name}">`),
    `<script type="application/json" id="page-data">${dataJson(data, now)}</script>`,
  ].join("");
}

/** A block of data ends at the first "</script": no text in it may contain "<". */
function dataJson({ token, regions, record }: PageData, now: number): string {
  const members = [
    token && `"token":${JSON.stringify(tokenBody(token, now))}`,
    regions && `"regions":${JSON.stringify(regions)}`,
    record &&
      `"path":${JSON.stringify(record.path)},"status":${record.status},"document":${record.text}`,
  ];
  return `{${members.filter(Boolean).join(",")}}`.replaceAll("<", "\\u003c");
}

const tokenBody = ({ token, expiresAt }: { token: string; expiresAt: number }, now: number) => ({
  token,
  expiresAt: formatTimestamp(expiresAt),
  expiresIn: Math.floor((expiresAt - now) / 1000),
});

/** Without CORS headers: only pages of this server can read it. */
function sendToken(request: ApiRequest, visitors: Pick<Visitors, "issue">): Response {
  return Response.json(tokenBody(visitors.issue(request.time), request.time), {
    headers: {
      "Cache-Control": "no-store",
      "X-Content-Type-Options": "nosniff",
      "X-Request-Id": request.requestId,
    },
  });
}

const ROBOTS = `User-agent: *
Disallow: /portal/visitor-token
Disallow: /shards/
Disallow: /usage
`;

function sendRobots({ requestId }: ApiRequest): Response {
  return new Response(ROBOTS, {
    headers: {
      "Content-Type": "text/plain; charset=utf-8",
      "Cache-Control": "public, max-age=3600",
      "X-Content-Type-Options": "nosniff",
      "X-Request-Id": requestId,
    },
  });
}

const pageOf = (text: string): PackedFile => ({
  type: "text/html; charset=utf-8",
  tag: `W/"${Bun.hash(text).toString(36)}"`,
  gzip: Bun.gzipSync(text, { library: "libdeflate", level: 1 }),
});

export const sendUnbuilt = (request: ApiRequest): Response =>
  sendFile(request, pageOf(UNBUILT), 503, "nothing");

type Bytes = Uint8Array<ArrayBuffer>;

/** Decompressing a file takes longer than anything else here, and needs no key: each is decompressed once. */
const decompressed = new WeakMap<PackedFile, Bytes>();

function plainBytes(file: PackedFile): Bytes {
  const known = decompressed.get(file) ?? (gunzipSync(file.gzip) as Bytes);
  decompressed.set(file, known);
  return known;
}

export function sendFile(
  { raw, requestId }: ApiRequest,
  file: PackedFile,
  status: number,
  caching: keyof typeof CACHING,
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
  const accepted = raw.headers.get("accept-encoding");
  const brotli = acceptsBrotli(accepted) ? file.brotli : undefined;
  const gzip = preferredEncoding(accepted) === "gzip" ? file.gzip : undefined;
  if (brotli ?? gzip) headers["Content-Encoding"] = brotli ? "br" : "gzip";
  return new Response((brotli ?? gzip ?? plainBytes(file)) as Bytes, { status, headers });
}
