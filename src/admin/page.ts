/** The operator's page: one page with its script and style sheet. It has no data, so it needs no token. */

import { COMMON_HEADERS } from "../http/portal.ts";
import { type Pack, readPack } from "../http/portal-assets.ts";
import type { ApiRequest } from "../http/request.ts";

const ASSETS = "/portal/assets/";

let pack: Promise<Pack | undefined> | undefined;

/** Undefined for the paths of the API. */
export async function operatorPage({ path, requestId }: ApiRequest): Promise<Response | undefined> {
  if (path !== "/" && !path.startsWith(ASSETS)) return undefined;
  pack ??= readPack();
  const built = await pack;
  const headers: Record<string, string> = { ...COMMON_HEADERS, "X-Request-Id": requestId };
  if (!built) return new Response(UNBUILT, { status: 503, headers });
  const file = path === "/" ? built.operator : built.assets.get(path.slice(ASSETS.length));
  if (!file) return undefined;
  headers["Content-Type"] = file.type;
  headers["Cache-Control"] = path === "/" ? "no-cache" : "public, max-age=31536000, immutable";
  // Every browser takes it.
  headers["Content-Encoding"] = "gzip";
  return new Response(file.gzip as Uint8Array<ArrayBuffer>, { headers });
}
