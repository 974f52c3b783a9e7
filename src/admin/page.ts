/** The operator's page: one page with its script and style sheet. It has no data, so it needs no token. */

import { sendFile, sendUnbuilt } from "../http/portal.ts";
import { type Pack, readPack } from "../http/portal-assets.ts";
import type { ApiRequest } from "../http/request.ts";

const ASSETS = "/portal/assets/";

let pack: Promise<Pack | undefined> | undefined;

/** Undefined for the paths of the API. */
export async function operatorPage(request: ApiRequest): Promise<Response | undefined> {
  const { path } = request;
  if (path !== "/" && !path.startsWith(ASSETS)) return undefined;
  pack ??= readPack();
  const built = await pack;
  if (!built) return sendUnbuilt(request);
  if (path === "/") return sendFile(request, built.operator, 200, "page");
  const asset = built.assets.get(path.slice(ASSETS.length));
  return asset && sendFile(request, asset, 200, "asset");
}
