/**
 * The query parameters and their limits. The parser, the OpenAPI document and the portal use this
 * table.
 */

import { TIMESTAMP_EXAMPLE } from "../domain/time.ts";

/** The default and maximum number of matches per page. */
export const PAGE_SIZE = 5;

/** The maximum number of players in a response. */
export const MAX_PLAYERS = 6;

/**
 * How many players beyond those in the response are counted. It bounds the rows that are read for a name that very many
 * players have.
 */
export const MAX_OMITTED = 50;

/** The maximum number of names in a response. */
export const MAX_NAMES = 10;

/** The maximum number of actors in a response. */
export const MAX_ACTORS = 500;

/** The default and the maximum number of changes per page. */
export const DEFAULT_CHANGES = 50;
export const MAX_CHANGES = 200;

/** The default and the maximum number of players in the company of a player. */
export const DEFAULT_COMPANY = 20;
export const MAX_COMPANY = 50;

/** The default and the maximum number of entries on a page of a leaderboard, and of players to select there. */
export const DEFAULT_ENTRIES = 20;
export const MAX_ENTRIES = 100;
export const MAX_BOARD_PLAYERS = 20;

/** The longest that a request waits for a change, in seconds. */
export const MAX_WAIT = 25;

/** The maximum length of filter[near]; the beginning of a name is enough. */
export const MAX_NEAR_LENGTH = 64;

/** The maximum number of distinct values in a list filter. */
export const MAX_VALUES = 50;

/** The default length of the time window. */
export const WINDOW_DAYS = 28;
export const WINDOW_MILLISECONDS = WINDOW_DAYS * 24 * 60 * 60 * 1000;

/** Far more than a query needs. It bounds the response that reports every problem. */
export const MAX_PARAMETERS = 100;

/** In characters. */
export const MAX_URL_LENGTH = 8192;

/**
 * The maximum number of players and teams in a cursor. If names resolve to more, every page
 * resolves them again.
 */
export const MAX_RESOLVED_NAMES = 100;

/** "single" is a single match or player; both accept the same parameters. */
export type Endpoint =
  | "matches"
  | "players"
  | "single"
  | "names"
  | "changes"
  | "actors"
  | "leaderboards"
  | "company";

export const ENDPOINT_NAMES: Readonly<Record<Endpoint, string>> = {
  matches: "the matches collection",
  players: "the players collection",
  single: "a single record",
  names: "the list of player names",
  changes: "the change feed",
  actors: "the list of actors",
  leaderboards: "a leaderboard",
  company: "the company of a player",
};

/** The maximum number of records in a response. */
export const MAX_RECORDS: Readonly<Record<Endpoint, number>> = {
  matches: PAGE_SIZE,
  players: MAX_PLAYERS,
  single: 1,
  names: MAX_NAMES,
  changes: MAX_CHANGES,
  actors: MAX_ACTORS,
  leaderboards: MAX_ENTRIES,
  company: MAX_COMPANY,
};

/** The number of records in a response, if the request does not say. */
export const DEFAULT_RECORDS: Readonly<Record<Endpoint, number>> = {
  ...MAX_RECORDS,
  changes: DEFAULT_CHANGES,
  leaderboards: DEFAULT_ENTRIES,
  company: DEFAULT_COMPANY,
};

/** Each kind has one parser. */
export type Kind =
  | "limit"
  | "offset"
  | "cursor"
  | "wait"
  | "sort"
  | "timestamp"
  | "list"
  | "modes"
  | "name"
  | "period"
  | "include"
  | "fields";

export interface Parameter {
  name: string;
  endpoints: readonly Endpoint[];
  kind: Kind;
  /** For documentation; absent if there is no default. */
  default?: string;
  mayBeEmpty?: true;
  isRequired?: true;
  description: string;
  /** A value before percent-encoding. */
  example: string;
}

const MATCHES = ["matches"] as const;
const COLLECTIONS = ["matches", "players"] as const;
const EVERYWHERE = ["matches", "players", "single"] as const;
const WITH_CHANGES = ["matches", "changes"] as const;
const WITH_ACTORS = ["matches", "changes", "actors"] as const;
const LISTS = ["matches", "players", "changes"] as const;
const WITH_PLAYERS = [...LISTS, "leaderboards"] as const;
const LIMITED = [...WITH_PLAYERS, "company"] as const;
const WITH_CURSORS = [...WITH_CHANGES, "leaderboards"] as const;

const LIST_RULES = `Separate values with commas, at most ${MAX_VALUES}. Inside a value, write a comma as \`\\,\` and a backslash as \`\\\\\`.`;

/** A literal, because the portal uses this table and browsers cannot run the encoder. */
const CURSOR_EXAMPLE = "AdwwrnoBAAABnKqqGEA0Y2QxZjJkMy0wZjM0LTRiMmYtOWQ0Ni0zYTVmM2EzYzBhMTE";

export const PARAMETERS = [
  {
    name: "page[limit]",
    endpoints: LIMITED,
    kind: "limit",
    default: `${PAGE_SIZE} matches, ${MAX_PLAYERS} players, ${DEFAULT_CHANGES} changes, ${DEFAULT_ENTRIES} of a leaderboard, ${DEFAULT_COMPANY} of a company`,
    description: `The maximum number of records on a page. It can be up to ${PAGE_SIZE} matches, ${MAX_PLAYERS} players, ${MAX_CHANGES} changes, ${MAX_ENTRIES} of a leaderboard or ${MAX_COMPANY} of a company.`,
    example: "3",
  },
  {
    name: "page[offset]",
    endpoints: COLLECTIONS,
    kind: "offset",
    default: "0",
    description:
      "The number of matches to skip. For players, which have only one page, it must be 0. To read many pages, follow `links.next` instead.",
    example: "0",
  },
  {
    name: "page[after]",
    endpoints: WITH_CURSORS,
    kind: "cursor",
    description:
      "A cursor: the page after it. Copy it from `links.next`. For changes also the `id` of a change, or `oldest` for the oldest change that is kept; without it, they begin now.",
    example: CURSOR_EXAMPLE,
  },
  {
    name: "page[before]",
    endpoints: MATCHES,
    kind: "cursor",
    description: "A cursor: the page before it. Copy it from `links.prev`.",
    example: CURSOR_EXAMPLE,
  },
  {
    name: "page[wait]",
    endpoints: ["changes"],
    kind: "wait",
    default: "0",
    description: `How long to wait if there is no change yet, in seconds, 0 to ${MAX_WAIT}. The response is sent as soon as there is one.`,
    example: "20",
  },
  {
    name: "sort",
    endpoints: ["matches", "actors"],
    kind: "sort",
    default: "createdAt for matches, -matches for actors",
    description:
      "For matches `createdAt`: oldest first, or `-createdAt`: newest first. For actors any attribute, or `actor` for the name; with `-` in descending order.",
    example: "-createdAt",
  },
  {
    name: "filter[createdAt-start]",
    endpoints: MATCHES,
    kind: "timestamp",
    default: `now minus ${WINDOW_DAYS} days`,
    description: "The earliest creation time, inclusive. It must be before the end.",
    example: TIMESTAMP_EXAMPLE,
  },
  {
    name: "filter[createdAt-end]",
    endpoints: MATCHES,
    kind: "timestamp",
    default: "now",
    description: "The latest creation time, inclusive. A time in the future counts as now.",
    example: TIMESTAMP_EXAMPLE,
  },
  {
    name: "filter[playerNames]",
    endpoints: LISTS,
    kind: "list",
    description: `Players by their exact current names. ${LIST_RULES}`,
    example: "Ada,Grace",
  },
  {
    name: "filter[playerIds]",
    endpoints: WITH_PLAYERS,
    kind: "list",
    description: `Players by id. ${LIST_RULES} On a leaderboard at most ${MAX_BOARD_PLAYERS}: their entries, instead of a page.`,
    example: "4cd1f2d3-0f34-4b2f-9d46-3a5f3a3c0a11",
  },
  {
    name: "filter[teamNames]",
    endpoints: WITH_CHANGES,
    kind: "list",
    description: `Teams by their exact current tags. ${LIST_RULES}`,
    example: "ABC",
  },
  {
    name: "filter[gameMode]",
    endpoints: WITH_ACTORS,
    kind: "modes",
    description: "Game modes, separated by commas.",
    example: "ranked,casual",
  },
  {
    name: "filter[patchVersion]",
    endpoints: WITH_ACTORS,
    kind: "list",
    description: `Patch versions of the game. ${LIST_RULES}`,
    example: "2.2,2.3",
  },
  {
    name: "filter[near]",
    endpoints: ["names"],
    kind: "name",
    isRequired: true,
    description: `A player name, which may be mistyped or incomplete; at most ${MAX_NEAR_LENGTH} characters.`,
    example: "Adda",
  },
  {
    name: "filter[period]",
    endpoints: ["leaderboards"],
    kind: "period",
    default: "all",
    description:
      "`all`, or `28d` for the 28 days that end with the day of the newest match. Only ranked-wins and win-rate have `28d`.",
    example: "28d",
  },
  {
    name: "include",
    endpoints: EVERYWHERE,
    kind: "include",
    default: "everything related",
    mayBeEmpty: true,
    description: "The related resources to include, as paths separated by commas. Empty: none.",
    example: "rosters.participants",
  },
  {
    name: "fields[TYPE]",
    endpoints: EVERYWHERE,
    kind: "fields",
    default: "every field",
    mayBeEmpty: true,
    description:
      "The fields to return for resources of this type, separated by commas. Empty: none.",
    example: "createdAt,gameMode",
  },
] as const satisfies readonly Parameter[];

type Row = (typeof PARAMETERS)[number];
export type ParameterName = Row["name"];
export type KindOf<Name extends ParameterName> = Extract<Row, { name: Name }>["kind"];

const FIELDS_OPENING = "fields[";
const FIELDS = PARAMETERS.find((parameter) => parameter.kind === "fields") as Parameter;
const byName: ReadonlyMap<string, Parameter> = new Map(
  PARAMETERS.filter((parameter) => parameter.kind !== "fields").map((row) => [row.name, row]),
);

/** Finds a parameter by name, for any endpoint. */
export function findParameter(name: string): Parameter | undefined {
  const found = byName.get(name);
  if (found) return found;
  return name.startsWith(FIELDS_OPENING) && name.endsWith("]") ? FIELDS : undefined;
}

export const fieldsName = (type: string): string => `${FIELDS_OPENING}${type}]`;

/** The TYPE of `fields[TYPE]`. */
export const fieldsType = (name: string): string => name.slice(FIELDS_OPENING.length, -1);

/** Every parameter name that an endpoint accepts, with one `fields[TYPE]` per type. */
export function acceptedNames(endpoint: Endpoint, types: Iterable<string>): string[] {
  const names: string[] = [];
  for (const { name, kind, endpoints } of PARAMETERS as readonly Parameter[]) {
    if (!endpoints.includes(endpoint)) continue;
    if (kind === "fields") for (const type of types) names.push(fieldsName(type));
    else names.push(name);
  }
  return names;
}
