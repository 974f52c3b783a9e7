/** The query parameters of matches and players, and those that several endpoints share, with their limits. */

import type { Problem } from "../domain/errors.ts";
import { TIMESTAMP_EXAMPLE } from "../domain/time.ts";
import { declareEndpoint, type GivenValues } from "./endpoint.ts";
import { conflict } from "./problems.ts";
import { windowProblem } from "./window.ts";

/** The default and maximum number of matches per page. */
export const PAGE_SIZE = 5;

/** The maximum number of players in a response. */
export const MAX_PLAYERS = 6;

/**
 * How many players beyond those in the response are counted. It bounds the rows that are read for a name that very many
 * players have.
 */
export const MAX_OMITTED = 50;

/** The maximum number of distinct values in a list filter. */
export const MAX_VALUES = 50;

/** Far more than a query needs. It bounds the response that reports every problem. */
export const MAX_PARAMETERS = 100;

/** In characters. */
export const MAX_URL_LENGTH = 8192;

/**
 * The maximum number of players and teams in a cursor. If names resolve to more, every page
 * resolves them again.
 */
export const MAX_RESOLVED_NAMES = 100;

const LIST_RULES = `Separate values with commas, at most ${MAX_VALUES}. Inside a value, write a comma as \`\\,\` and a backslash as \`\\\\\`.`;

export const limitParameter = (most: number, usual = most, example = "3") =>
  ({
    kind: "limit",
    most,
    usual,
    default: String(usual),
    description: `The maximum number of records on a page, up to ${most}.`,
    example,
  }) as const;

export const PLAYER_FILTERS = {
  "filter[playerNames]": {
    kind: "list",
    most: MAX_VALUES,
    description: `Players by their exact current names. ${LIST_RULES}`,
    example: "Ada,Grace",
  },
  "filter[playerIds]": {
    kind: "list",
    most: MAX_VALUES,
    description: `Players by id. ${LIST_RULES}`,
    example: "4cd1f2d3-0f34-4b2f-9d46-3a5f3a3c0a11",
  },
} as const;

export const GAME_FILTERS = {
  "filter[gameMode]": {
    kind: "modes",
    description: "Game modes, separated by commas.",
    example: "ranked,casual",
  },
  "filter[patchVersion]": {
    kind: "list",
    most: MAX_VALUES,
    description: `Patch versions of the game. ${LIST_RULES}`,
    example: "2.2,2.3",
  },
} as const;

export const MATCH_FILTERS = {
  ...PLAYER_FILTERS,
  "filter[teamNames]": {
    kind: "list",
    most: MAX_VALUES,
    description: `Teams by their exact current tags. ${LIST_RULES}`,
    example: "ABC",
  },
  ...GAME_FILTERS,
} as const;

/** Which related resources and fields to return. */
const SHAPE = {
  include: {
    kind: "include",
    default: "everything related",
    mayBeEmpty: true,
    description: "The related resources to include, as paths separated by commas. Empty: none.",
    example: "rosters.participants",
  },
  "fields[TYPE]": {
    kind: "fields",
    default: "every field",
    mayBeEmpty: true,
    description:
      "The fields to return for resources of this type, separated by commas. Empty: none.",
    example: "createdAt,gameMode",
  },
} as const;

/** A literal, because the portal uses this table and browsers cannot run the encoder. */
const CURSOR_EXAMPLE = "AdwwrnoBAAABnKqqGEA0Y2QxZjJkMy0wZjM0LTRiMmYtOWQ0Ni0zYTVmM2EzYzBhMTE";

const CURSOR = {
  kind: "cursor",
  expects: "a cursor copied unchanged from links.next or links.prev",
  otherwise: "start from the first page",
  example: CURSOR_EXAMPLE,
} as const;

export const MATCHES = declareEndpoint(
  "matches",
  "the matches collection",
  {
    "page[limit]": limitParameter(PAGE_SIZE),
    "page[offset]": {
      kind: "offset",
      default: "0",
      description:
        "The number of matches to skip. To read many pages, follow `links.next` instead.",
      example: "0",
    },
    "page[after]": {
      ...CURSOR,
      description: "A cursor: the page after it. Copy it from `links.next`.",
    },
    "page[before]": {
      ...CURSOR,
      description: "A cursor: the page before it. Copy it from `links.prev`.",
    },
    sort: {
      kind: "sort",
      choices: ["createdAt", "-createdAt"],
      expects: "createdAt (oldest first) or -createdAt (newest first)",
      default: "createdAt",
      description: "`createdAt`: oldest first. `-createdAt`: newest first.",
      example: "-createdAt",
    },
    "filter[createdAt-start]": {
      kind: "timestamp",
      default: "now minus 28 days",
      description: "The earliest creation time, inclusive. It must be before the end.",
      example: TIMESTAMP_EXAMPLE,
    },
    "filter[createdAt-end]": {
      kind: "timestamp",
      default: "now",
      description: "The latest creation time, inclusive. A time in the future counts as now.",
      example: TIMESTAMP_EXAMPLE,
    },
    ...MATCH_FILTERS,
    ...SHAPE,
  },
  (values, given, now) => [
    ...windowProblem(
      given,
      values["filter[createdAt-start]"],
      values["filter[createdAt-end]"],
      now,
    ),
    ...startConflicts(given),
  ],
);

/** A page starts at an offset or at one cursor, never both. */
function startConflicts(given: GivenValues): Problem[] {
  const [offset, after, before] = ["page[offset]", "page[after]", "page[before]"] as const;
  const problems: Problem[] = [];
  if (given.has(after) && given.has(before)) problems.push(conflict(before, after));
  if (given.has(offset) && (given.has(after) || given.has(before))) {
    problems.push(conflict(offset, given.has(after) ? after : before));
  }
  return problems;
}

export const PLAYERS = declareEndpoint("players", "the players collection", {
  "page[limit]": limitParameter(MAX_PLAYERS),
  // Some JSON:API libraries always send one.
  "page[offset]": {
    kind: "offset",
    most: 0,
    default: "0",
    description: "Players have only one page: it must be 0.",
    example: "0",
  },
  ...PLAYER_FILTERS,
  ...SHAPE,
});

/** Of a single match or player; both accept the same parameters. */
export const SINGLE = declareEndpoint("single", "a single record", SHAPE);

/** Of paths that have no parameters. */
export const NO_PARAMETERS = declareEndpoint("none", "this path", {});
