/** All query parameters of the API, each with the endpoints that accept it. */

import { ROUTES } from "../../src/http/routes.ts";
import type { Endpoint, Parameter } from "../../src/query/endpoint.ts";

export type { Kind } from "../../src/query/endpoint.ts";

export const ENDPOINTS: readonly Endpoint[] = [
  ...new Set(ROUTES.flatMap((route) => (route.access === "key" ? route.takes : []))),
];

/** As one endpoint declares it, with the names of all that have it. */
export type Row = Parameter & { name: string; endpoints: string[] };

const rows = new Map<string, Row>();
for (const { name: endpoint, parameters } of ENDPOINTS) {
  for (const [name, parameter] of Object.entries(parameters)) {
    const row = rows.get(name) ?? { ...parameter, name, endpoints: [] };
    row.endpoints.push(endpoint);
    rows.set(name, row);
  }
}

export const PARAMETERS: readonly Row[] = [...rows.values()];
