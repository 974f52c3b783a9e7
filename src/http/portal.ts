/** Serves the web portal: its page, its assets, what crawlers read, and their security and cache headers. */

import { gunzipSync } from "node:zlib";
import type { Visitors } from "../access/visitors.ts";
import { namesTag } from "../document/entity-tag.ts";
import { formatTimestamp } from "../domain/time.ts";
import { acceptedEncodings, acceptsBrotli } from "./negotiate.ts";
import type { Pictures } from "./pictures.ts";
import { type Pack, type PackedFile, readPack } from "./portal-assets.ts";
import type { ApiRequest } from "./request.ts";

/** What a route of the portal serves. */
export type Opens = "page" | "asset" | "nothing" | "visitor-token" | "picture" | "robots" | "icon";

/** What search engines and link previews show of a page. Plain text, escaped when it is written into the page. */
export interface PageHead {
  title: string;
  description: string;
  /** Of this server, as the caller knows it. */
  baseUrl: string;
  path: string;
  kind: "website" | "profile";
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
  icon: "public, max-age=86400",
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

/** Pages of as many URLs are kept compressed. */
const MOST_RENDERED = 256;

export class Portal {
  readonly #options: PortalOptions;
  #pack: Promise<ReadPack | undefined> | undefined;
  /** Pages by the tags in their heads. */
  readonly #rendered = new Map<string, PackedFile>();

  constructor(options: PortalOptions = {}) {
    this.#options = options;
  }

  /** `name` is that of the asset or picture. `head` is for pages. */
  async answer(
    request: ApiRequest,
    opens: Opens,
    name: string,
    head: PageHead | undefined,
  ): Promise<Response> {
    const { visitors, pictures } = this.#options;
    if (opens === "visitor-token" && visitors) return sendToken(request, visitors);
    if (opens === "picture" && pictures) {
      return pictures.answer(request, request.path.split("/").at(-2)!, name);
    }
    if (opens === "robots") return sendRobots(request, visitors !== undefined);
    // Loaded on the first visit, since many servers never have one.
    this.#pack ??= this.#read();
    const pack = await this.#pack;
    if (!pack) return send(request, pageOf(UNBUILT), 503, "nothing");
    if (head) return send(request, this.#render(pack, head), 200, "page");
    if (opens === "icon" && pack.icon) return send(request, pack.icon, 200, "icon");
    const asset = opens === "asset" ? pack.assets.get(name) : undefined;
    return asset ? send(request, asset, 200, "asset") : send(request, pack.page, 404, "nothing");
  }

  #render(pack: ReadPack, head: PageHead): PackedFile {
    const tags = headTags(head, pack.iconUrl);
    const known = this.#rendered.get(tags);
    if (known) return known;
    // Not as a replacement text, in which "$&" of a name would be replaced.
    const page = pageOf(pack.text.replace(TITLE, () => tags));
    if (this.#rendered.size >= MOST_RENDERED) this.#rendered.clear();
    this.#rendered.set(tags, page);
    return page;
  }

  async #read(): Promise<ReadPack | undefined> {
    const pack = await readPack();
    if (!pack) return undefined;
    const { offeredKey = "", visitors, pictures } = this.#options;
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
    return { assets: pack.assets, text, page: pageOf(text), icon, iconUrl };
  }
}

/** The pack, with the tags of this server in its page. */
interface ReadPack extends Omit<Pack, "operator"> {
  text: string;
  icon: PackedFile | undefined;
  iconUrl: string | undefined;
}

const ASSETS = "/portal/assets/";

function headTags(head: PageHead, icon?: string): string {
  const { title, description, baseUrl, path, kind } = head;
  // The host is the caller's, and need not be valid: these are texts, never parsed.
  const canonical = baseUrl + path;
  const meta = (name: string, content: string) =>
    `<meta name="${name}" content="${escaped(content)}">`;
  const property = (name: string, content: string) =>
    `<meta property="og:${name}" content="${escaped(content)}">`;
  return [
    `<title>${escaped(title)}</title>`,
    meta("description", description),
    `<link rel="canonical" href="${escaped(canonical)}">`,
    property("site_name", "Matchbook"),
    property("type", kind),
    property("title", title),
    property("description", description),
    property("url", canonical),
    ...(icon === undefined ? [] : [property("image", baseUrl + icon)]),
    meta("twitter:card", "summary"),
    meta("twitter:title", title),
    meta("twitter:description", description),
  ].join("\n    ");
}

const ENTITIES: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

const escaped = (text: string): string => text.replace(/[&<>"']/g, (sign) => ENTITIES[sign]!);

/** Without CORS headers: only pages of this server can read it. */
function sendToken(request: ApiRequest, visitors: Pick<Visitors, "issue">): Response {
  const { token, expiresAt } = visitors.issue(request.time);
  const expiresIn = Math.floor((expiresAt - request.time) / 1000);
  return Response.json(
    { token, expiresAt: formatTimestamp(expiresAt), expiresIn },
    {
      headers: {
        "Cache-Control": "no-store",
        "X-Content-Type-Options": "nosniff",
        "X-Request-Id": request.requestId,
      },
    },
  );
}

/** Without a key, only some pages have something to show. */
function sendRobots({ requestId }: ApiRequest, isOpen: boolean): Response {
  const rules = isOpen
    ? ["Disallow: /portal/visitor-token"]
    : [
        "Allow: /portal/assets/",
        "Allow: /portal/developers",
        "Allow: /portal/status",
        "Disallow: /portal/",
      ];
  const lines = ["User-agent: *", ...rules, "Disallow: /shards/", "Disallow: /usage", ""];
  return new Response(lines.join("\n"), {
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
  const gzip = acceptedEncodings(accepted).includes("gzip") ? file.gzip : undefined;
  if (brotli ?? gzip) headers["Content-Encoding"] = brotli ? "br" : "gzip";
  return new Response((brotli ?? gzip ?? plainBytes(file)) as Bytes, { status, headers });
}
