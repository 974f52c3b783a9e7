/** The query parameters of the change feed. */

import { declareEndpoint } from "../../query/endpoint.ts";
import { limitParameter, MATCH_FILTERS } from "../../query/parameters.ts";
import { decodeLogCursor } from "./cursor.ts";

/** The default and the maximum number of changes per page. */
export const DEFAULT_CHANGES = 50;
export const MAX_CHANGES = 200;

export const CHANGES = declareEndpoint("changes", "the change feed", {
  "page[limit]": limitParameter(MAX_CHANGES, DEFAULT_CHANGES),
  "page[after]": {
    kind: "cursor",
    expects: '"oldest", the id of a change, or a cursor copied unchanged from links.next',
    otherwise: "get changes from now on",
    decode: (text: string) => (text === "oldest" ? text : decodeLogCursor(text)),
    description:
      "The changes after it: a cursor of `links.next`, the `id` of a change, or `oldest` for the oldest change that is kept. Without it, they begin now.",
    example: "oldest",
  },
  ...MATCH_FILTERS,
});
