/** The routes of the admin listener. Each needs the admin token. */

import { CONTENT_TYPE } from "../observe/prometheus.ts";
import { jsonResponse } from "./endpoint.ts";
import { AdminError } from "./errors.ts";
import { changeKey, createKey, listKeys, revokeKey } from "./keys.ts";
import type { AdminEndpoint, AdminRoute } from "./service.ts";
import { uploadRecords } from "./upload.ts";

const showMetrics: AdminEndpoint = async ({ metrics }) =>
  new Response(await metrics.text(), { headers: { "Content-Type": CONTENT_TYPE } });

const showOverview: AdminEndpoint = async ({ overview }) =>
  jsonResponse(200, await overview.read());

export const ADMIN_ROUTES: readonly AdminRoute[] = [
  { method: "GET", path: "/metrics", endpoint: showMetrics },
  { method: "GET", path: "/overview", endpoint: showOverview },
  { method: "GET", path: "/keys", endpoint: listKeys },
  { method: "POST", path: "/keys", endpoint: createKey },
  { method: "PATCH", path: "/keys/{id}", endpoint: changeKey },
  { method: "POST", path: "/keys/{id}/revoke", endpoint: revokeKey },
  { method: "POST", path: "/ingest", endpoint: uploadRecords, takes: ["shard", "replace"] },
];

/** The path of the route, e.g. /keys/{id}, that serves a request's path, whatever the method. */
export const routeOf = (path: string): string | undefined => routesFor(path)[0]?.path;

/** The route, and the id if the path has one. Throws AdminError. */
export function findRoute(method: string, path: string): { route: AdminRoute; id: string } {
  const routes = routesFor(path);
  // The runtime omits the body of a response to HEAD.
  const route = routes.find((one) => one.method === (method === "HEAD" ? "GET" : method));
  if (route) return { route, id: route.path.includes(VARIABLE) ? path.split("/")[2]! : "" };
  if (routes.length === 0) {
    const all = ADMIN_ROUTES.map((one) => `${one.method} ${one.path}`).join(", ");
    throw new AdminError("unknown-route", `There is no such URL. Available: ${all}.`);
  }
  const methods = routes.map((one) => (one.method === "GET" ? "GET, HEAD" : one.method)).join(", ");
  throw new AdminError("method-not-allowed", `Use ${methods} here, not ${method}.`, {
    headers: { Allow: methods },
  });
}

const VARIABLE = "{id}";

/** Ids are never escaped. */
function routesFor(path: string): AdminRoute[] {
  const given = path.split("/");
  return ADMIN_ROUTES.filter((route) => {
    const parts = route.path.split("/");
    return (
      given.length === parts.length &&
      parts.every((part, at) => (part === VARIABLE ? given[at] !== "" : given[at] === part))
    );
  });
}
