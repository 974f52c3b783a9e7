/** The query parameters of leaderboards. */

import { declareEndpoint } from "../../query/endpoint.ts";
import { limitParameter, PLAYER_FILTERS } from "../../query/parameters.ts";
import { conflict, parameterProblem } from "../../query/problems.ts";
import { decodeBoardCursor } from "./cursor.ts";
import { type Board, PERIODS, RECENT_BOARDS } from "./ranking.ts";

/** The default and the maximum number of entries on a page, and of players to select. */
export const DEFAULT_ENTRIES = 20;
export const MAX_ENTRIES = 100;
const MAX_PLAYERS = 20;

export const LEADERBOARDS = declareEndpoint(
  "leaderboards",
  "a leaderboard",
  {
    "page[limit]": limitParameter(MAX_ENTRIES, DEFAULT_ENTRIES),
    "page[after]": {
      kind: "cursor",
      expects: "a cursor copied unchanged from links.next",
      otherwise: "start from the first page",
      decode: decodeBoardCursor,
      description: "A cursor: the page after it. Copy it from `links.next`.",
      example: "1z.4cd1f2d3-0f34-4b2f-9d46-3a5f3a3c0a11",
    },
    "filter[playerIds]": {
      ...PLAYER_FILTERS["filter[playerIds]"],
      most: MAX_PLAYERS,
      description: `The entries of these players, at most ${MAX_PLAYERS}, instead of a page. Separate ids with commas.`,
    },
    "filter[period]": {
      kind: "choice",
      choices: PERIODS,
      expects: PERIODS.join(" or "),
      default: "all",
      description:
        "`all`, or `28d` for the 28 days that end with the day of the newest match. Only ranked-wins and win-rate have `28d`.",
      example: "28d",
    },
  },
  (_, given) =>
    ["page[limit]", "page[after]"]
      .filter((name) => given.has(name) && given.has("filter[playerIds]"))
      .map((name) => conflict(name, "filter[playerIds]")),
);

/** What one of them accepts: not all have every period. */
export const leaderboard = (board: Board): typeof LEADERBOARDS => ({
  ...LEADERBOARDS,
  check(values, given, now) {
    const { "filter[period]": period = "all" } = values;
    const isRight = period === "all" || (RECENT_BOARDS as readonly Board[]).includes(board);
    const detail = `filter[period]=${period} is for the boards ${RECENT_BOARDS.join(" and ")}; omit it for ${board}.`;
    return [
      ...LEADERBOARDS.check!(values, given, now),
      ...(isRight ? [] : [parameterProblem("invalid-parameter", "filter[period]", detail)]),
    ];
  },
});
