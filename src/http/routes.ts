/** All routes, each with the access it requires. */

import type { Endpoint } from "../query/parameters.ts";
import { getMatch, getMatches } from "./matches.ts";
import { getPlayer, getPlayerNames, getPlayers } from "./players.ts";
import type { Opens } from "./portal.ts";
import type { ShardEndpoint } from "./shard-request.ts";
import { health, type OpenEndpoint, openApi, readiness, status } from "./status.ts";
import { type KeyEndpoint, usage } from "./usage.ts";

/** The response of a route, by the name of its schema in the OpenAPI document. */
export type SchemaName =
  | "MatchList"
  | "SingleMatch"
  | "PlayerList"
  | "SinglePlayer"
  | "NameList"
  | "Usage"
  | "Status"
  | "Health"
  | "Readiness"
  | "Description";

interface Described {
  path: string;
  summary: string;
  description: string;
  reply: SchemaName;
}

/**
 * "key": an API key, its limits and the Accept header apply; where matches are read, its daily quota
 * too. "own": an API key and its rate limit. "open": nothing applies.
 */
export type Route = Described &
  (
    | { access: "key"; takes: Endpoint; readsMatches: boolean; endpoint: ShardEndpoint }
    | { access: "own"; endpoint: KeyEndpoint }
    | { access: "open"; endpoint: OpenEndpoint }
  );

export const ROUTES: readonly Route[] = [
  {
    path: "/shards/:shard/matches",
    summary: "Get a collection of matches",
    description:
      "A page of the matches that satisfy every filter, with the rosters, participants, players and teams they link to. The default window is the last 28 days; follow `links.next` to walk through it.",
    access: "key",
    takes: "matches",
    readsMatches: true,
    reply: "MatchList",
    endpoint: getMatches,
  },
  {
    path: "/shards/:shard/matches/:id",
    summary: "Get a single match",
    description:
      "One match by its id, whatever its age, with the rosters, participants, players and teams it links to. Matches that are withheld get the same 404 as those that do not exist.",
    access: "key",
    takes: "single",
    readsMatches: true,
    reply: "SingleMatch",
    endpoint: getMatch,
  },
  {
    path: "/shards/:shard/players",
    summary: "Get a collection of players",
    description:
      "Up to 6 players by name or id, in the order of the values given. Without a filter, the 6 players seen in a match most recently.",
    access: "key",
    takes: "players",
    readsMatches: false,
    reply: "PlayerList",
    endpoint: getPlayers,
  },
  {
    path: "/shards/:shard/players/:id",
    summary: "Get a single player",
    description:
      "The lifetime record of one player by id: the name now, and stats over all served matches.",
    access: "key",
    takes: "single",
    readsMatches: false,
    reply: "SinglePlayer",
    endpoint: getPlayer,
  },
  {
    path: "/shards/:shard/player-names",
    summary: "Get the player names close to a mistyped one",
    description:
      "Up to 10 player names close to the one given, the closest first, each with the id of its player. Filters by name are exact; this list helps to find the exact name.",
    access: "key",
    takes: "names",
    readsMatches: false,
    reply: "NameList",
    endpoint: getPlayerNames,
  },
  {
    path: "/usage",
    summary: "Limits of the caller's own key, and how much it was used",
    description:
      "What the key of this request may do, and how much it was used over the last 30 days. It costs one request, and needs no `Accept`.",
    access: "own",
    reply: "Usage",
    endpoint: usage,
  },
  {
    path: "/status",
    summary: "Which shards there are, and how fresh each is",
    description:
      "Name, version and start time of the service, and every shard with the time of its newest match.",
    access: "open",
    reply: "Status",
    endpoint: status,
  },
  {
    path: "/healthz",
    summary: "Whether the process answers",
    description: "200 as long as the process answers, for liveness probes. No shard is read.",
    access: "open",
    reply: "Health",
    endpoint: health,
  },
  {
    path: "/readyz",
    summary: "Whether every shard can be read",
    description:
      "200 when every shard can be read, else 503 with the shards that cannot. For readiness probes and load balancers.",
    access: "open",
    reply: "Readiness",
    endpoint: readiness,
  },
  {
    path: "/openapi.json",
    summary: "This interface, described in OpenAPI 3.1",
    description:
      "This document, as the running server makes it from its own tables of routes, parameters and error codes.",
    access: "open",
    reply: "Description",
    endpoint: openApi,
  },
];

/** The web portal: open to all, and not part of the OpenAPI document. */
export interface PageRoute {
  path: string;
  access: "page";
  opens: Opens;
}

const pageRoute = (path: string, opens: Opens): PageRoute => ({ path, access: "page", opens });

/** Matched after the API routes, so that those are found faster. */
const PAGES: readonly PageRoute[] = [
  pageRoute("/", "page"),
  pageRoute("/portal", "page"),
  pageRoute("/portal/explorer", "page"),
  pageRoute("/portal/status", "page"),
  pageRoute("/portal/reference", "page"),
  pageRoute("/portal/:shard/matches/:id", "page"),
  pageRoute("/portal/:shard/players/:id", "page"),
  pageRoute("/portal/assets/:id", "asset"),
];

const NO_SUCH_PAGE = pageRoute("/portal/*", "nothing");

export interface Found {
  route: Route | PageRoute;
  shard: string;
  id: string;
}

/** Split once: every request is matched against these. */
const patterns = [...ROUTES, ...PAGES].map((route) => {
  const parts = route.path.split("/");
  return {
    route,
    /** Undefined where any segment matches. */
    words: parts.map((part) => (part.startsWith(":") ? undefined : part)),
    shardAt: parts.indexOf(":shard"),
    idAt: parts.indexOf(":id"),
  };
});

export function findRoute(path: string): Found | undefined {
  const given = path.split("/");
  for (const { route, words, shardAt, idAt } of patterns) {
    if (!fits(given, words)) continue;
    return {
      route,
      shard: shardAt < 0 ? "" : decoded(given[shardAt]!),
      id: idAt < 0 ? "" : decoded(given[idAt]!),
    };
  }
  return given[1] === "portal" ? { route: NO_SUCH_PAGE, shard: "", id: "" } : undefined;
}

function fits(given: readonly string[], words: readonly (string | undefined)[]): boolean {
  if (given.length !== words.length) return false;
  for (let at = 0; at < words.length; at++) {
    const word = words[at];
    if (word === undefined ? given[at] === "" : given[at] !== word) return false;
  }
  return true;
}

/** The path of a route as in OpenAPI: `/shards/{shard}/matches`. */
export const openApiPath = ({ path }: { path: string }): string =>
  path.replaceAll(/:(\w+)/g, "{$1}");

/** A segment with an invalid escape stays as it is: nothing has such an id. */
function decoded(segment: string): string {
  if (!segment.includes("%")) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
