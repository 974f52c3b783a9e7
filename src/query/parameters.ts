/** The table of query parameters and their bounds: it drives the parser and every description of it. */

import { TIMESTAMP_EXAMPLE } from "../domain/time.ts";

/** Both the default and the greatest number of matches on one page. */
export const PAGE_SIZE = 5;

/** The greatest number of players one reply of the players collection holds. */
export const MAX_PLAYERS = 6;

/** The greatest number of names that one reply of the list of names holds. */
export const MAX_NAMES = 10;

/** How many characters of a name may be looked for: a beginning is enough. */
export const MAX_NEAR_LENGTH = 64;

/** The greatest number of values one list filter takes, each counted once. */
export const MAX_VALUES = 50;

/** How far back the window reaches when no start is given. */
export const WINDOW_DAYS = 28;
export const WINDOW_MILLISECONDS = WINDOW_DAYS * 24 * 60 * 60 * 1000;

/** Far above what any sensible query needs; it bounds the reply that reports every problem. */
export const MAX_PARAMETERS = 100;

/** The greatest number of characters an address may have. */
export const MAX_URL_LENGTH = 8192;

/** How many players and teams a cursor carries; if names stand for more, they are looked up again. */
export const MAX_RESOLVED_NAMES = 100;

/** The collections, and either kind of single record, which take the same parameters. */
export type Endpoint = "matches" | "players" | "single" | "names";

export const ENDPOINT_NAMES: Readonly<Record<Endpoint, string>> = {
  matches: "the collection of matches",
  players: "the collection of players",
  single: "a single record",
  names: "the list of names",
};

/** The greatest number of records in one response. */
export const MAX_RECORDS: Readonly<Record<Endpoint, number>> = {
  matches: PAGE_SIZE,
  players: MAX_PLAYERS,
  single: 1,
  names: MAX_NAMES,
};

/** How a value is parsed; each kind has one parser. */
export type Kind =
  | "limit"
  | "offset"
  | "cursor"
  | "sort"
  | "timestamp"
  | "list"
  | "modes"
  | "name"
  | "include"
  | "fields";

export interface Parameter {
  name: string;
  endpoints: readonly Endpoint[];
  kind: Kind;
  /** In words, for people; absent when leaving the parameter out means nothing special. */
  default?: string;
  mayBeEmpty?: true;
  isRequired?: true;
  description: string;
  /** A value as a person would write it, before any percent-encoding. */
  example: string;
}

const MATCHES = ["matches"] as const;
const COLLECTIONS = ["matches", "players"] as const;
const EVERYWHERE = ["matches", "players", "single"] as const;

const LIST_RULES = `Separate values with commas, ${MAX_VALUES} at most; inside a value, write a comma as \`\\,\` and a backslash as \`\\\\\`.`;

/** Written out, and not made by the encoder, which browsers cannot run: this table they can read. */
const CURSOR_EXAMPLE = "AdwwrnoBAAABnKqqGEA0Y2QxZjJkMy0wZjM0LTRiMmYtOWQ0Ni0zYTVmM2EzYzBhMTE";

export const PARAMETERS = [
  {
    name: "page[limit]",
    endpoints: COLLECTIONS,
    kind: "limit",
    default: `${PAGE_SIZE} matches, ${MAX_PLAYERS} players`,
    description: `The most records on a page: from 1 to ${PAGE_SIZE} matches, or from 1 to ${MAX_PLAYERS} players.`,
    example: "3",
  },
  {
    name: "page[offset]",
    endpoints: COLLECTIONS,
    kind: "offset",
    default: "0",
    description:
      "The number of matches to skip; players have one page, so only 0 is accepted there. To walk far, follow `links.next` instead.",
    example: "0",
  },
  {
    name: "page[after]",
    endpoints: MATCHES,
    kind: "cursor",
    description: "The page that follows a cursor; it comes ready-made in `links`.",
    example: CURSOR_EXAMPLE,
  },
  {
    name: "page[before]",
    endpoints: MATCHES,
    kind: "cursor",
    description: "The page that leads up to a cursor; it comes ready-made in `links`.",
    example: CURSOR_EXAMPLE,
  },
  {
    name: "sort",
    endpoints: MATCHES,
    kind: "sort",
    default: "createdAt",
    description: "`createdAt` for the oldest match first, `-createdAt` for the newest first.",
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
    description: "The latest creation time, inclusive. A time in the future is taken as now.",
    example: TIMESTAMP_EXAMPLE,
  },
  {
    name: "filter[playerNames]",
    endpoints: COLLECTIONS,
    kind: "list",
    description: `Players by their current names, exactly as written in the game. ${LIST_RULES}`,
    example: "Ada,Grace",
  },
  {
    name: "filter[playerIds]",
    endpoints: COLLECTIONS,
    kind: "list",
    description: `Players by id. ${LIST_RULES}`,
    example: "4cd1f2d3-0f34-4b2f-9d46-3a5f3a3c0a11",
  },
  {
    name: "filter[teamNames]",
    endpoints: MATCHES,
    kind: "list",
    description: `Teams by their current tags, exactly as written in the game. ${LIST_RULES}`,
    example: "ABC",
  },
  {
    name: "filter[gameMode]",
    endpoints: MATCHES,
    kind: "modes",
    description: "Game modes, separated by commas.",
    example: "ranked,casual",
  },
  {
    name: "filter[patchVersion]",
    endpoints: MATCHES,
    kind: "list",
    description: `Patch versions of the game. ${LIST_RULES}`,
    example: "2.2,2.3",
  },
  {
    name: "filter[near]",
    endpoints: ["names"],
    kind: "name",
    isRequired: true,
    description: `A player name as far as it is known, mistyped or only begun, ${MAX_NEAR_LENGTH} characters at most.`,
    example: "Adda",
  },
  {
    name: "include",
    endpoints: EVERYWHERE,
    kind: "include",
    default: "everything related",
    mayBeEmpty: true,
    description: "The related resources to send along, as paths separated by commas. Empty: none.",
    example: "rosters.participants",
  },
  {
    name: "fields[TYPE]",
    endpoints: EVERYWHERE,
    kind: "fields",
    default: "every field",
    mayBeEmpty: true,
    description: "The fields to send of resources of that type, separated by commas. Empty: none.",
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

/** The row of a parameter by the name a caller gives it, whatever endpoint takes it. */
export function findParameter(name: string): Parameter | undefined {
  const found = byName.get(name);
  if (found) return found;
  return name.startsWith(FIELDS_OPENING) && name.endsWith("]") ? FIELDS : undefined;
}

export const fieldsName = (type: string): string => `${FIELDS_OPENING}${type}]`;

/** The TYPE of `fields[TYPE]`. */
export const fieldsType = (name: string): string => name.slice(FIELDS_OPENING.length, -1);

/** Every name an endpoint takes, `fields[TYPE]` spelled out for each type. */
export function namesTaken(endpoint: Endpoint, types: Iterable<string>): string[] {
  const names: string[] = [];
  for (const { name, kind, endpoints } of PARAMETERS as readonly Parameter[]) {
    if (!endpoints.includes(endpoint)) continue;
    if (kind === "fields") for (const type of types) names.push(fieldsName(type));
    else names.push(name);
  }
  return names;
}
