/** The query parameters of the search for names. */

import { declareEndpoint } from "../../query/endpoint.ts";

/** The maximum number of names in a response. */
export const MAX_NAMES = 10;

/** The maximum length of filter[near]; the beginning of a name is enough. */
export const MAX_NEAR_LENGTH = 64;

export const NAMES = declareEndpoint("names", "the list of player names", {
  "filter[near]": {
    kind: "text",
    most: MAX_NEAR_LENGTH,
    isRequired: true,
    description: `A player name, which may be mistyped or incomplete; at most ${MAX_NEAR_LENGTH} characters.`,
    example: "Adda",
  },
});
