/** How endpoints of the admin listener are declared, here and in features: routes, requests and responses. */

import type { Awaitable } from "../domain/awaitable.ts";

export interface AdminRoute<Service> {
  method: "GET" | "POST" | "PATCH";
  path: string;
  endpoint(service: Service, request: AdminRequest): Awaitable<Response>;
  /** The query parameters it takes. */
  takes?: readonly string[];
}

export interface AdminRequest {
  request: Request;
  requestId: string;
  query: AdminQuery;
  /** The id in the path, where it has one. */
  id: string;
}

/** The query parameters that were given. */
export type AdminQuery = Readonly<Record<string, string | undefined>>;

export function jsonResponse(status: number, body: object, headers = {}): Response {
  return new Response(`${JSON.stringify(body)}\n`, {
    status,
    headers: { "Content-Type": "application/json", ...headers },
  });
}
