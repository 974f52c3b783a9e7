/** In charge of what the OpenAPI document needs to know of a route. */

import type { Endpoint } from "../query/parameters.ts";

/** What is told of a route. */
export interface DescribedRoute {
  /** Its variable parts in braces. */
  path: string;
  summary: string;
  description: string;
  access: "key" | "own" | "open";
  takes?: Endpoint;
  /** Whether the key's daily budget applies. */
  readsMatches?: boolean;
  reply: string;
}
