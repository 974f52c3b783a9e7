/** The query parameters of whom a player played with. */

import { declareEndpoint } from "../../query/endpoint.ts";
import { limitParameter } from "../../query/parameters.ts";

/** The default and the maximum number of other players in a response. */
export const DEFAULT_PLAYERS = 20;
export const MAX_PLAYERS = 50;

export const PLAYED_WITH = declareEndpoint("played-with", "the list of whom a player played with", {
  "page[limit]": limitParameter(MAX_PLAYERS, DEFAULT_PLAYERS),
});
