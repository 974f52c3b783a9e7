/** In charge of the way from a raw query string to a typed query, or to everything wrong with it. */

import type { Problem } from "../domain/errors.ts";
import type { ParseContext } from "./context.ts";
import { MAX_PLAYERS, PAGE_SIZE } from "./limits.ts";
import { checkNames, checkRequired, type Known } from "./names.ts";
import { type Pair, splitQuery } from "./pairs.ts";
import type { Endpoint } from "./parameters.ts";
import { settlePlace } from "./place.ts";
import type {
  GivenParameters,
  MatchesQuery,
  NamesQuery,
  PlayersQuery,
  Shape,
  SingleQuery,
} from "./query.ts";
import { type Readings, readValues } from "./values.ts";
import { settleWindow } from "./window.ts";

export type { ParseContext } from "./context.ts";

/** All problems of the query at once, or none and the query. */
export type Parsed<Q> = { ok: true; query: Q } | { ok: false; problems: Problem[] };

/** `raw` is what follows the `?`, still percent-encoded; it may be empty. */
export function parseMatchesQuery(raw: string, context: ParseContext): Parsed<MatchesQuery> {
  const { pairs, known, readings, problems } = readQuery(raw, "matches", context);
  const window = settleWindow(known, readings, context.now, problems);
  const place = settlePlace(known, readings, problems);
  if (problems.length > 0) return { ok: false, problems };
  const query: MatchesQuery = {
    window,
    sort: readings.sort ?? "createdAt",
    place,
    limit: readings["page[limit]"] ?? PAGE_SIZE,
    filters: {
      playerNames: readings["filter[playerNames]"],
      playerIds: readings["filter[playerIds]"],
      teamNames: readings["filter[teamNames]"],
      gameModes: readings["filter[gameMode]"],
      patchVersions: readings["filter[patchVersion]"],
    },
    ...shapeOf(readings),
    given: asGiven(pairs),
  };
  return { ok: true, query };
}

/** `raw` is what follows the `?`, still percent-encoded; it may be empty. */
export function parsePlayersQuery(raw: string, context: ParseContext): Parsed<PlayersQuery> {
  const { pairs, readings, problems } = readQuery(raw, "players", context);
  if (problems.length > 0) return { ok: false, problems };
  const query: PlayersQuery = {
    playerNames: readings["filter[playerNames]"],
    playerIds: readings["filter[playerIds]"],
    limit: readings["page[limit]"] ?? MAX_PLAYERS,
    ...shapeOf(readings),
    given: asGiven(pairs),
  };
  return { ok: true, query };
}

/** `raw` is what follows the `?`, still percent-encoded; it may be empty. */
export function parseSingleQuery(raw: string, context: ParseContext): Parsed<SingleQuery> {
  const { pairs, readings, problems } = readQuery(raw, "single", context);
  if (problems.length > 0) return { ok: false, problems };
  return { ok: true, query: { ...shapeOf(readings), given: asGiven(pairs) } };
}

/** `raw` is what follows the `?`, still percent-encoded; it may be empty. */
export function parseNamesQuery(raw: string, context: ParseContext): Parsed<NamesQuery> {
  const { pairs, known, readings, problems } = readQuery(raw, "names", context);
  checkRequired(known, "names", problems);
  if (problems.length > 0) return { ok: false, problems };
  return { ok: true, query: { near: readings["filter[near]"]!, given: asGiven(pairs) } };
}

interface ReadQuery {
  pairs: readonly Pair[];
  known: ReadonlyMap<string, Known>;
  readings: Readings;
  problems: Problem[];
}

/** The stages that every endpoint shares. */
function readQuery(raw: string, endpoint: Endpoint, context: ParseContext): ReadQuery {
  const problems: Problem[] = [];
  const pairs = splitQuery(raw, problems);
  const known = checkNames(pairs, endpoint, context, problems);
  const readings = readValues(known, endpoint, context, problems);
  return { pairs, known, readings, problems };
}

function shapeOf(readings: Readings): Shape {
  return { include: readings.include, fields: readings.fields };
}

/** Only for queries without problems: a value that cannot be decoded is one. */
const asGiven = (pairs: readonly Pair[]): GivenParameters => pairs as GivenParameters;
