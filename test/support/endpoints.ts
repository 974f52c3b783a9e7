/** A URL of each endpoint, and the records that it needs: for what holds at all of them. */

import { FEATURES } from "../../src/features/list.ts";
import { ROUTES } from "../../src/http/routes.ts";
import { aMatch, duel } from "./records.ts";

export const ENDPOINT_RECORDS = [
  aMatch({ id: "match-a", rosters: duel({ id: "player-a" }, { id: "player-b" }) }),
];

/** Of every route under /shards. */
export const ENDPOINT_URLS = ROUTES.map(({ path }) => path)
  .filter((path) => path.startsWith("/shards/"))
  .map((path) =>
    path
      .replace(":shard", "na")
      .replace("matches/:id", "matches/match-a")
      .replace("players/:id", "players/player-a")
      .replace(":board", "ranked-wins")
      .replace(/\/player-names$/, "/player-names?filter[near]=Ada"),
  );

export const hasFeature = (name: string): boolean => FEATURES.some((one) => one.name === name);

const PATTERNS = ROUTES.map(({ path }) => new RegExp(`^${path.replaceAll(/:\w+/g, "[^/]+")}$`));

/**
 * Whether there is an endpoint for a URL. Tables of requests also have some to features: those to one that is removed are
 * left out. Endpoints cannot be missed by mistake: test/contract lists all.
 */
export const hasEndpoint = (url: string): boolean =>
  PATTERNS.some((pattern) => pattern.test(url.replace(/\?.*/, "")));
