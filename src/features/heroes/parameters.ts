/** The query parameters of hero statistics. */

import { declareEndpoint } from "../../query/endpoint.ts";
import { GAME_FILTERS } from "../../query/parameters.ts";
import { HERO_SORTS } from "./statistics.ts";

/** The maximum number of heroes in a response. */
export const MAX_HEROES = 500;

const names = HERO_SORTS.filter((one) => !one.startsWith("-"));

export const HEROES = declareEndpoint("heroes", "the list of heroes", {
  ...GAME_FILTERS,
  sort: {
    kind: "sort",
    choices: HERO_SORTS,
    expects: `one of ${names.join(", ")}, with - for descending order`,
    default: "-matches",
    description: "Any attribute, or `hero` for the name; with `-` in descending order.",
    example: "-winRate",
  },
});
