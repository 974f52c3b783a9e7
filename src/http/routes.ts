/** In charge of the routes: all of them on one screen, each with what it takes to be let in. */

import { getMatch, getMatches, getPlayer, getPlayers, type ShardEndpoint } from "./endpoints.ts";
import { health, readiness, type ServiceEndpoint, status } from "./service.ts";

/** "key": an API key, the rate limit and the Accept header apply. "open": nothing does. */
export type Route =
  | { path: string; access: "key"; endpoint: ShardEndpoint }
  | { path: string; access: "open"; endpoint: ServiceEndpoint };

export const ROUTES: readonly Route[] = [
  { path: "/shards/:shard/matches", access: "key", endpoint: getMatches },
  { path: "/shards/:shard/matches/:id", access: "key", endpoint: getMatch },
  { path: "/shards/:shard/players", access: "key", endpoint: getPlayers },
  { path: "/shards/:shard/players/:id", access: "key", endpoint: getPlayer },
  { path: "/status", access: "open", endpoint: status },
  { path: "/healthz", access: "open", endpoint: health },
  { path: "/readyz", access: "open", endpoint: readiness },
];

export interface Found {
  route: Route;
  shard: string;
  id: string;
}

const patterns = ROUTES.map((route) => ({ route, parts: route.path.split("/") }));

export function findRoute(path: string): Found | undefined {
  const given = path.split("/");
  for (const { route, parts } of patterns) {
    if (parts.length !== given.length) continue;
    const found: Found = { route, shard: "", id: "" };
    const fits = parts.every((part, index) => {
      const segment = given[index]!;
      if (part === ":shard") found.shard = decoded(segment);
      else if (part === ":id") found.id = decoded(segment);
      else return part === segment;
      return segment !== "";
    });
    if (fits) return found;
  }
  return undefined;
}

/** A segment with a broken escape stands for itself: nothing has such an id. */
function decoded(segment: string): string {
  if (!segment.includes("%")) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
