/** Parses the query string into a typed query, or reports all of its problems. */

import type { ActorSort } from "../domain/actors.ts";
import type { Problem } from "../domain/errors.ts";
import { type Board, type BoardPosition, RECENT_BOARDS } from "../domain/leaderboards.ts";
import { distinct } from "./comma-list.ts";
import {
  parseList,
  parseModes,
  parseNear,
  parsePeriod,
  parseTimestampFilter,
  windowOf,
} from "./filter-parameters.ts";
import {
  pageStartOf,
  parseCursor,
  parseLimit,
  parseOffset,
  parseSort,
  parseWait,
} from "./page-parameters.ts";
import { checkNames, checkRequired } from "./parameter-names.ts";
import {
  DEFAULT_CHANGES,
  DEFAULT_COMPANY,
  DEFAULT_ENTRIES,
  type Endpoint,
  fieldsType,
  type Kind,
  MAX_PLAYERS,
  PAGE_SIZE,
  WINDOW_MILLISECONDS,
} from "./parameters.ts";
import { emptyItem, enumerate, parameterProblem, quote, quoteUnknown } from "./problems.ts";
import type {
  ActorsQuery,
  ChangesQuery,
  CompanyQuery,
  GivenParameters,
  GivenValues,
  LeaderboardQuery,
  LogStart,
  MatchesQuery,
  MatchFilters,
  NamesQuery,
  ParseContext,
  ParsedValues,
  PlayersQuery,
  Shape,
  SingleQuery,
  Sort,
  ValueOf,
  ValueParser,
} from "./query.ts";
import { type Pair, splitQuery } from "./query-string.ts";

export type { ParseContext } from "./query.ts";

export type Parsed<Q> = { ok: true; query: Q } | { ok: false; problems: Problem[] };

/** `raw` is the part after the `?`, still percent-encoded. */
export function parseMatchesQuery(raw: string, context: ParseContext): Parsed<MatchesQuery> {
  const { pairs, known, values, problems } = parseQuery(raw, "matches", context);
  const window = windowOf(known, values, context.now, problems);
  const pageStart = pageStartOf(known, values, problems);
  if (problems.length > 0) return { ok: false, problems };
  const query: MatchesQuery = {
    window,
    sort: (values.sort as Sort | undefined) ?? "createdAt",
    pageStart,
    limit: values["page[limit]"] ?? PAGE_SIZE,
    filters: filtersOf(values),
    ...shapeOf(values),
    given: asGiven(pairs),
  };
  return { ok: true, query };
}

export function parsePlayersQuery(raw: string, context: ParseContext): Parsed<PlayersQuery> {
  const { pairs, values, problems } = parseQuery(raw, "players", context);
  if (problems.length > 0) return { ok: false, problems };
  const query: PlayersQuery = {
    playerNames: values["filter[playerNames]"],
    playerIds: values["filter[playerIds]"],
    limit: values["page[limit]"] ?? MAX_PLAYERS,
    ...shapeOf(values),
    given: asGiven(pairs),
  };
  return { ok: true, query };
}

export function parseSingleQuery(raw: string, context: ParseContext): Parsed<SingleQuery> {
  const { pairs, values, problems } = parseQuery(raw, "single", context);
  if (problems.length > 0) return { ok: false, problems };
  return { ok: true, query: { ...shapeOf(values), given: asGiven(pairs) } };
}

export function parseNamesQuery(raw: string, context: ParseContext): Parsed<NamesQuery> {
  const { pairs, known, values, problems } = parseQuery(raw, "names", context);
  checkRequired(known, "names", problems);
  if (problems.length > 0) return { ok: false, problems };
  return { ok: true, query: { near: values["filter[near]"]!, given: asGiven(pairs) } };
}

export function parseChangesQuery(raw: string, context: ParseContext): Parsed<ChangesQuery> {
  const { pairs, values, problems } = parseQuery(raw, "changes", context);
  if (problems.length > 0) return { ok: false, problems };
  const query: ChangesQuery = {
    after: values["page[after]"] as LogStart | undefined,
    limit: values["page[limit]"] ?? DEFAULT_CHANGES,
    wait: values["page[wait]"] ?? 0,
    filters: filtersOf(values),
    given: asGiven(pairs),
  };
  return { ok: true, query };
}

/** The window always ends now. */
export function parseCompanyQuery(raw: string, context: ParseContext): Parsed<CompanyQuery> {
  const { pairs, values, problems } = parseQuery(raw, "company", context);
  if (problems.length > 0) return { ok: false, problems };
  const query: CompanyQuery = {
    window: { start: context.now - WINDOW_MILLISECONDS, end: context.now },
    limit: values["page[limit]"] ?? DEFAULT_COMPANY,
    given: asGiven(pairs),
  };
  return { ok: true, query };
}

export function parseActorsQuery(raw: string, context: ParseContext): Parsed<ActorsQuery> {
  const { pairs, values, problems } = parseQuery(raw, "actors", context);
  if (problems.length > 0) return { ok: false, problems };
  const query: ActorsQuery = {
    filters: filtersOf(values),
    sort: (values.sort as ActorSort | undefined) ?? "-matches",
    given: asGiven(pairs),
  };
  return { ok: true, query };
}

export function parseLeaderboardQuery(
  raw: string,
  context: ParseContext,
  board: Board,
): Parsed<LeaderboardQuery> {
  const { pairs, known, values, problems } = parseQuery(raw, "leaderboards", context);
  const period = values["filter[period]"] ?? "all";
  if (period !== "all" && !(RECENT_BOARDS as readonly Board[]).includes(board)) {
    const detail = `filter[period]=${period} is for the boards ${RECENT_BOARDS.join(" and ")}; omit it for ${board}.`;
    problems.push(parameterProblem("invalid-parameter", "filter[period]", detail));
  }
  for (const name of ["page[limit]", "page[after]"]) {
    if (!known.has("filter[playerIds]") || !known.has(name)) continue;
    const detail = `${name} and filter[playerIds] cannot be combined; send only one.`;
    problems.push(parameterProblem("conflicting-parameters", name, detail));
  }
  if (problems.length > 0) return { ok: false, problems };
  const query: LeaderboardQuery = {
    period,
    after: values["page[after]"] as BoardPosition | undefined,
    limit: values["page[limit]"] ?? DEFAULT_ENTRIES,
    playerIds: values["filter[playerIds]"],
    given: asGiven(pairs),
  };
  return { ok: true, query };
}

/** The problems of a query string that must have no parameters. */
export function parseNoParameters(raw: string): Problem[] {
  const problems: Problem[] = [];
  for (const name of distinct(splitQuery(raw, problems).map(([given]) => given))) {
    const detail = `Unknown parameter ${quote(name)}: this path has no parameters; remove it.`;
    problems.push(parameterProblem("unknown-parameter", name, detail));
  }
  return problems;
}

const filtersOf = (values: ParsedValues): MatchFilters => ({
  playerNames: values["filter[playerNames]"],
  playerIds: values["filter[playerIds]"],
  teamNames: values["filter[teamNames]"],
  gameModes: values["filter[gameMode]"],
  patchVersions: values["filter[patchVersion]"],
});

interface ParsedQuery {
  pairs: readonly Pair[];
  known: GivenValues;
  values: ParsedValues;
  problems: Problem[];
}

/** The stages that all endpoints share. */
function parseQuery(raw: string, endpoint: Endpoint, context: ParseContext): ParsedQuery {
  const problems: Problem[] = [];
  const pairs = splitQuery(raw, problems);
  const known = checkNames(pairs, endpoint, context, problems);
  const values = parseValues(known, endpoint, context, problems);
  return { pairs, known, values, problems };
}

function shapeOf(values: ParsedValues): Shape {
  return { include: values.include, fields: values.fields };
}

/** Only valid without problems: values that could not be decoded are reported. */
const asGiven = (pairs: readonly Pair[]): GivenParameters => pairs as GivenParameters;

const parseInclude: ValueParser<string[]> = (value, name, problems, { includePaths }) => {
  if (value === "") return [];
  const paths = parseWords(value, name, problems);
  if (paths === undefined || paths.every((path) => includePaths.has(path))) return paths;
  const unknown = paths.filter((path) => !includePaths.has(path));
  const sent = quoteUnknown(unknown, includePaths);
  const detail =
    includePaths.size === 0
      ? `Players have no related resources; omit ${name} or leave it empty. You sent ${sent}.`
      : `${name} accepts these paths: ${enumerate(includePaths)}. You sent ${sent}.`;
  problems.push(parameterProblem("unknown-include-path", name, detail));
  return undefined;
};

/** Any name is accepted: attributes are open, and unknown names are ignored. */
const parseFields: ValueParser<ReadonlySet<string>> = (value, name, problems) => {
  const names = value === "" ? [] : parseWords(value, name, problems);
  return names && new Set(names);
};

/** Distinct words between commas. Names of paths and fields need no escaping. */
function parseWords(value: string, name: string, problems: Problem[]): string[] | undefined {
  const words = value.split(",");
  if (!words.includes("")) return distinct(words);
  problems.push(emptyItem(name, value));
  return undefined;
}

const PARSERS: { [K in Kind]: ValueParser<ValueOf[K]> } = {
  limit: parseLimit,
  offset: parseOffset,
  cursor: parseCursor,
  wait: parseWait,
  sort: parseSort,
  timestamp: parseTimestampFilter,
  list: parseList,
  modes: parseModes,
  name: parseNear,
  period: parsePeriod,
  include: parseInclude,
  fields: parseFields,
};

function parseValues(
  known: GivenValues,
  endpoint: Endpoint,
  context: ParseContext,
  problems: Problem[],
): ParsedValues {
  const values: ParsedValues = {};
  for (const [name, { parameter, value }] of known) {
    if (value === undefined) continue;
    if (value === "" && !parameter.mayBeEmpty) {
      const advice = parameter.isRequired ? "" : ", or omit it";
      const detail = `${name} has no value; set it, e.g. to ${parameter.example}${advice}.`;
      problems.push(parameterProblem("empty-parameter", name, detail));
      continue;
    }
    const parsed = PARSERS[parameter.kind](value, name, problems, context, endpoint);
    if (parsed !== undefined) keep(values, name, parameter.kind, parsed);
  }
  return values;
}

function keep(values: ParsedValues, name: string, kind: Kind, parsed: ValueOf[Kind]): void {
  // The table determines the kind of each name, and PARSERS the type of each kind.
  if (kind === "fields") {
    values.fields ??= new Map();
    values.fields.set(fieldsType(name), parsed as ValueOf["fields"]);
  } else {
    (values as Record<string, unknown>)[name] = parsed;
  }
}
