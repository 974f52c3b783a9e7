/** Parses a raw query string into a typed query, or reports everything wrong with it. */

import type { Problem } from "../domain/errors.ts";
import { distinct } from "./comma-list.ts";
import {
  parseList,
  parseModes,
  parseNear,
  parseTimestampFilter,
  windowOf,
} from "./filter-parameters.ts";
import { pageStart, parseCursor, parseLimit, parseOffset, parseSort } from "./page-parameters.ts";
import { checkNames, checkRequired } from "./parameter-names.ts";
import { type Endpoint, fieldsType, type Kind, MAX_PLAYERS, PAGE_SIZE } from "./parameters.ts";
import { emptyItem, enumerate, parameterProblem, quoteUnknown } from "./problems.ts";
import type {
  GivenParameters,
  GivenValues,
  MatchesQuery,
  NamesQuery,
  ParseContext,
  ParsedValues,
  PlayersQuery,
  Shape,
  SingleQuery,
  ValueOf,
  ValueParser,
} from "./query.ts";
import { type Pair, splitQuery } from "./query-string.ts";

export type { ParseContext } from "./query.ts";

/** All problems of the query at once, or none and the query. */
export type Parsed<Q> = { ok: true; query: Q } | { ok: false; problems: Problem[] };

/** `raw` is what follows the `?`, still percent-encoded; it may be empty. */
export function parseMatchesQuery(raw: string, context: ParseContext): Parsed<MatchesQuery> {
  const { pairs, known, values, problems } = parseQuery(raw, "matches", context);
  const window = windowOf(known, values, context.now, problems);
  const place = pageStart(known, values, problems);
  if (problems.length > 0) return { ok: false, problems };
  const query: MatchesQuery = {
    window,
    sort: values.sort ?? "createdAt",
    place,
    limit: values["page[limit]"] ?? PAGE_SIZE,
    filters: {
      playerNames: values["filter[playerNames]"],
      playerIds: values["filter[playerIds]"],
      teamNames: values["filter[teamNames]"],
      gameModes: values["filter[gameMode]"],
      patchVersions: values["filter[patchVersion]"],
    },
    ...shapeOf(values),
    given: asGiven(pairs),
  };
  return { ok: true, query };
}

/** `raw` is what follows the `?`, still percent-encoded; it may be empty. */
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

/** `raw` is what follows the `?`, still percent-encoded; it may be empty. */
export function parseSingleQuery(raw: string, context: ParseContext): Parsed<SingleQuery> {
  const { pairs, values, problems } = parseQuery(raw, "single", context);
  if (problems.length > 0) return { ok: false, problems };
  return { ok: true, query: { ...shapeOf(values), given: asGiven(pairs) } };
}

/** `raw` is what follows the `?`, still percent-encoded; it may be empty. */
export function parseNamesQuery(raw: string, context: ParseContext): Parsed<NamesQuery> {
  const { pairs, known, values, problems } = parseQuery(raw, "names", context);
  checkRequired(known, "names", problems);
  if (problems.length > 0) return { ok: false, problems };
  return { ok: true, query: { near: values["filter[near]"]!, given: asGiven(pairs) } };
}

interface ParsedQuery {
  pairs: readonly Pair[];
  known: GivenValues;
  values: ParsedValues;
  problems: Problem[];
}

/** The stages that every endpoint shares. */
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

/** Only for queries without problems: a value that cannot be decoded is one. */
const asGiven = (pairs: readonly Pair[]): GivenParameters => pairs as GivenParameters;

const parseInclude: ValueParser<string[]> = (value, name, problems, { includePaths }) => {
  if (value === "") return [];
  const paths = parseWords(value, name, problems);
  if (paths === undefined || paths.every((path) => includePaths.has(path))) return paths;
  const unknown = paths.filter((path) => !includePaths.has(path));
  const sent = quoteUnknown(unknown, includePaths);
  const detail =
    includePaths.size === 0
      ? `Players have no related resources: leave ${name} out, or send it empty; you sent ${sent}.`
      : `${name} takes these paths here: ${enumerate(includePaths)}; you sent ${sent}.`;
  problems.push(parameterProblem("unknown-include-path", name, detail));
  return undefined;
};

/** Any name will do: resources have open sets of attributes, and names they lack are ignored. */
const parseFields: ValueParser<ReadonlySet<string>> = (value, name, problems) => {
  const names = value === "" ? [] : parseWords(value, name, problems);
  return names && new Set(names);
};

/** Distinct words between commas. They are names of the service's own, so nothing is escaped. */
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
  sort: parseSort,
  timestamp: parseTimestampFilter,
  list: parseList,
  modes: parseModes,
  name: parseNear,
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
      const advice = parameter.isRequired ? "" : ", or leave it out";
      const detail = `${name} has no value; give it one, such as ${parameter.example}${advice}.`;
      problems.push(parameterProblem("empty-parameter", name, detail));
      continue;
    }
    const parsed = PARSERS[parameter.kind](value, name, problems, context, endpoint);
    if (parsed !== undefined) keep(values, name, parameter.kind, parsed);
  }
  return values;
}

function keep(values: ParsedValues, name: string, kind: Kind, parsed: ValueOf[Kind]): void {
  // The table ties each name to its kind, and PARSERS each kind to the type of its values.
  if (kind === "fields") {
    values.fields ??= new Map();
    values.fields.set(fieldsType(name), parsed as ValueOf["fields"]);
  } else {
    (values as Record<string, unknown>)[name] = parsed;
  }
}
