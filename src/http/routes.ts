/** All routes, each with the access it requires. */

import type { Endpoint } from "../query/parameters.ts";
import { getActors } from "./actors.ts";
import { getChanges, streamChanges } from "./changes.ts";
import { getCompany } from "./company.ts";
import { getLeaderboard } from "./leaderboards.ts";
import { getMatch, getMatches } from "./matches.ts";
import { getPlayerNames, searchPlayerNames } from "./player-names.ts";
import { getPlayer, getPlayers } from "./players.ts";
import type { Opens } from "./portal.ts";
import type { AllShardsEndpoint, ShardEndpoint, StreamEndpoint } from "./shard-request.ts";
import { health, type OpenEndpoint, openApi, readiness, status } from "./status.ts";
import { type KeyEndpoint, usage } from "./usage.ts";

/** The schema of a response, by its name in the OpenAPI document. */
export type SchemaName =
  | "MatchList"
  | "SingleMatch"
  | "PlayerList"
  | "SinglePlayer"
  | "NameList"
  | "NameSearch"
  | "ChangeList"
  | "CompanyList"
  | "ActorList"
  | "Leaderboard"
  | "Usage"
  | "Status"
  | "Health"
  | "Readiness"
  | "Description";

interface Described {
  path: string;
  summary: string;
  description: string;
  response: SchemaName;
}

/**
 * "key": requires an API key and the Accept header; its limits apply, and the daily quota if matches are
 * read. Some can also be read as a stream of events, and some read all shards. "own": requires an API key; its rate limit
 * applies. "open": requires nothing; a limit per IP address applies, which never refuses a health check.
 */
export type Route = Described &
  (
    | {
        access: "key";
        takes: Endpoint;
        readsMatches: boolean;
        endpoint: ShardEndpoint;
        stream?: StreamEndpoint;
      }
    | { access: "key"; takes: Endpoint; readsMatches: false; allShards: AllShardsEndpoint }
    | { access: "own"; endpoint: KeyEndpoint }
    | { access: "open"; isHealthCheck: boolean; endpoint: OpenEndpoint }
  );

export const ROUTES: readonly Route[] = [
  {
    path: "/shards/:shard/matches",
    summary: "Get a collection of matches",
    description:
      "A page of the matches that satisfy all filters, with their rosters, participants, players and teams. The default time window is the last 28 days. Follow `links.next` for the next page.",
    access: "key",
    takes: "matches",
    readsMatches: true,
    response: "MatchList",
    endpoint: getMatches,
  },
  {
    path: "/shards/:shard/matches/:id",
    summary: "Get a single match",
    description:
      "One match by id, whatever its age, with its rosters, participants, players and teams. A withheld match returns the same 404 as one that does not exist.",
    access: "key",
    takes: "single",
    readsMatches: true,
    response: "SingleMatch",
    endpoint: getMatch,
  },
  {
    path: "/shards/:shard/players",
    summary: "Get a collection of players",
    description:
      "Up to 6 players by name or id, in the order of the filter values; `meta.omitted` says how many more were found. Without a filter, the 6 players with the most recent matches.",
    access: "key",
    takes: "players",
    readsMatches: false,
    response: "PlayerList",
    endpoint: getPlayers,
  },
  {
    path: "/shards/:shard/players/:id",
    summary: "Get a single player",
    description:
      "The lifetime record of one player by id: the current name, and stats over all matches.",
    access: "key",
    takes: "single",
    readsMatches: false,
    response: "SinglePlayer",
    endpoint: getPlayer,
  },
  {
    path: "/shards/:shard/players/:id/company",
    summary: "Get the company of a player",
    description:
      "With whom and against whom a player played most in the last 28 days, and with what result. Counts the newest 200 matches, without private ones. One record for each other player, those with the most matches together first.",
    access: "key",
    takes: "company",
    readsMatches: false,
    response: "CompanyList",
    endpoint: getCompany,
  },
  {
    path: "/shards/:shard/player-names",
    summary: "Find player names similar to a text",
    description:
      "Up to 10 players whose names are similar to a text: the same name, names that begin with it, that have it as a later word, or of which it is a mistyped beginning. Name filters need the exact name; this endpoint helps to find it.",
    access: "key",
    takes: "names",
    readsMatches: false,
    response: "NameList",
    endpoint: getPlayerNames,
  },
  {
    path: "/player-names",
    summary: "Find players and matches in all shards",
    description:
      "The same over all shards that the key may read, as one request. Also finds the match with this id. `meta.unavailable` lists the shards that could not answer.",
    access: "key",
    takes: "names",
    readsMatches: false,
    response: "NameSearch",
    allShards: searchPlayerNames,
  },
  {
    path: "/shards/:shard/leaderboards/:board",
    summary: "Get a leaderboard",
    description:
      "The players with the highest skill tier, the most ranked wins, the best win rate in ranked matches (with at least 20 of them), or the longest current win streak. Follow `links.next` for the next page; entries beyond the depth of the leaderboards are not listed. With `filter[playerIds]`, the entries of these players.",
    access: "key",
    takes: "leaderboards",
    readsMatches: false,
    response: "Leaderboard",
    endpoint: getLeaderboard,
  },
  {
    path: "/shards/:shard/changes",
    summary: "Follow the changes of matches",
    description:
      "Matches that were added, replaced or removed, in the order of the changes, without their content. Follow `links.next`, which is always there, and wait for changes with `page[wait]`. With `Accept: text/event-stream`, the same as Server-Sent Events. Changes are kept for 7 days.",
    access: "key",
    takes: "changes",
    readsMatches: false,
    response: "ChangeList",
    endpoint: getChanges,
    stream: streamChanges,
  },
  {
    path: "/shards/:shard/actors",
    summary: "Get hero statistics",
    description:
      "How often each actor (hero) was played, how often it won, and its average stats, over all matches that are or were served, of any age; private ones do not count. Filters select game modes and patches.",
    access: "key",
    takes: "actors",
    readsMatches: false,
    response: "ActorList",
    endpoint: getActors,
  },
  {
    path: "/usage",
    summary: "Get the limits and usage of your key",
    description:
      "The limits of the key in the request, and its usage over the last 30 days. Counts as one request. The `Accept` header is not required.",
    access: "own",
    response: "Usage",
    endpoint: usage,
  },
  {
    path: "/status",
    summary: "List the shards and how fresh each is",
    description:
      "Name, version and start time of the service, and each shard with the time of its newest match.",
    access: "open",
    isHealthCheck: false,
    response: "Status",
    endpoint: status,
  },
  {
    path: "/healthz",
    summary: "Liveness check",
    description: "200 while the process responds, for liveness probes. No shard is read.",
    access: "open",
    isHealthCheck: true,
    response: "Health",
    endpoint: health,
  },
  {
    path: "/readyz",
    summary: "Readiness check",
    description:
      "200 if every shard is available, otherwise 503 with the unavailable ones. For readiness probes and load balancers.",
    access: "open",
    isHealthCheck: true,
    response: "Readiness",
    endpoint: readiness,
  },
  {
    path: "/openapi.json",
    summary: "The OpenAPI 3.1 description of this API",
    description:
      "This document, generated by the running server from its own tables of routes, parameters and error codes.",
    access: "open",
    isHealthCheck: false,
    response: "Description",
    endpoint: openApi,
  },
];

/** The web portal: needs no key, and is not part of the OpenAPI document. */
export interface PageRoute {
  path: string;
  access: "page";
  opens: Opens;
  /** Of a page: the folder of `src/portal/views` that shows it. */
  view?: View;
}

export type View =
  | "start"
  | "player"
  | "match"
  | "heroes"
  | "leaderboards"
  | "status"
  | "developers"
  | "explorer";

const pageRoute = (path: string, view: View): PageRoute => ({
  ...{ path, access: "page", opens: "page", view },
});

const fileRoute = (path: string, opens: Opens): PageRoute => ({ path, access: "page", opens });

/** Matched after the API routes, so that those match faster. */
const PAGES: readonly PageRoute[] = [
  pageRoute("/", "start"),
  pageRoute("/portal", "start"),
  pageRoute("/portal/status", "status"),
  pageRoute("/portal/developers", "developers"),
  pageRoute("/portal/developers/keys", "developers"),
  pageRoute("/portal/developers/guides", "developers"),
  pageRoute("/portal/developers/guides/:id", "developers"),
  pageRoute("/portal/developers/endpoints", "developers"),
  pageRoute("/portal/developers/explorer", "explorer"),
  pageRoute("/portal/developers/usage", "developers"),
  pageRoute("/portal/developers/changelog", "developers"),
  pageRoute("/portal/:shard/players/:id", "player"),
  pageRoute("/portal/:shard/matches/:id", "match"),
  pageRoute("/portal/:shard/heroes", "heroes"),
  pageRoute("/portal/:shard/leaderboards/:board", "leaderboards"),
  fileRoute("/portal/assets/:id", "asset"),
  // What the pages load besides, and what crawlers read.
  fileRoute("/portal/visitor-token", "visitor-token"),
  fileRoute("/portal/pictures/:kind/:id", "picture"),
  fileRoute("/robots.txt", "robots"),
  fileRoute("/favicon.ico", "icon"),
  // Last, since any word may be a region.
  pageRoute("/portal/:shard", "start"),
];

const NO_SUCH_PAGE = fileRoute("/portal/*", "nothing");

export interface Found {
  route: Route | PageRoute;
  shard: string;
  id: string;
}

/** Split once; every request is matched against them. */
const patterns = [...ROUTES, ...PAGES].map((route) => {
  const parts = route.path.split("/");
  return {
    route,
    /** Undefined where any segment matches. */
    words: parts.map((part) => (part.startsWith(":") ? undefined : part)),
    shardAt: parts.indexOf(":shard"),
    idAt: parts.findIndex((part) => part === ":id" || part === ":board"),
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
