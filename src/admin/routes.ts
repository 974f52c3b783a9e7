/** In charge of the routes of the private listener: all of them on one screen. Each asks for the token. */

import { takeUpload } from "./ingest.ts";
import {
  changeKey,
  createKey,
  listKeys,
  revokeKey,
  rotateKey,
  showKey,
  showUsage,
} from "./keys.ts";
import { showMetrics } from "./metrics.ts";
import { AdminRefusal } from "./refusal.ts";
import type { AdminEndpoint } from "./service.ts";

export interface AdminRoute {
  method: "GET" | "POST" | "PATCH";
  path: string;
  endpoint: AdminEndpoint;
}

export const ADMIN_ROUTES: readonly AdminRoute[] = [
  { method: "GET", path: "/metrics", endpoint: showMetrics },
  { method: "GET", path: "/keys", endpoint: listKeys },
  { method: "POST", path: "/keys", endpoint: createKey },
  { method: "GET", path: "/keys/{id}", endpoint: showKey },
  { method: "PATCH", path: "/keys/{id}", endpoint: changeKey },
  { method: "POST", path: "/keys/{id}/rotate", endpoint: rotateKey },
  { method: "POST", path: "/keys/{id}/revoke", endpoint: revokeKey },
  { method: "GET", path: "/keys/{id}/usage", endpoint: showUsage },
  { method: "POST", path: "/ingest", endpoint: takeUpload },
];

const VARIABLE = "{id}";

export interface FoundRoute {
  endpoint: AdminEndpoint;
  /** The key's id; empty where the path has none. */
  id: string;
}

/** The path with its variable's name that a request's path fits, whatever the method. */
export const routeOf = (path: string): string | undefined =>
  ADMIN_ROUTES.find((route) => fits(path.split("/"), route.path.split("/")))?.path;

/** Throws AdminRefusal. */
export function findRoute(method: string, path: string): FoundRoute {
  const given = path.split("/");
  const here = ADMIN_ROUTES.filter((route) => fits(given, route.path.split("/")));
  // The runtime leaves the body of a response to HEAD out.
  const route = here.find((one) => one.method === (method === "HEAD" ? "GET" : method));
  if (route) return { endpoint: route.endpoint, id: idIn(given, route.path.split("/")) };
  if (here.length === 0) {
    const all = ADMIN_ROUTES.map((one) => `${one.method} ${one.path}`).join(", ");
    throw new AdminRefusal("unknown-route", `Nothing is here. There are: ${all}.`);
  }
  const methods = here.map((one) => (one.method === "GET" ? "GET, HEAD" : one.method)).join(", ");
  throw new AdminRefusal("method-not-allowed", `Use ${methods} here, not ${method}.`, {
    headers: { Allow: methods },
  });
}

function fits(given: readonly string[], parts: readonly string[]): boolean {
  return (
    given.length === parts.length &&
    parts.every((part, at) => (part === VARIABLE ? given[at] !== "" : given[at] === part))
  );
}

/** Ids need no escapes: a segment that has any is nobody's id. */
function idIn(given: readonly string[], parts: readonly string[]): string {
  return given[parts.indexOf(VARIABLE)] ?? "";
}
