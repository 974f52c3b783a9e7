/** In charge of the indexes that lead to matches in order, as pieces of SQL. */

import type { Direction, Range } from "../places.ts";
import type { Selection } from "../store.ts";

interface Index {
  source: string;
  /** What leads from a given value to the key of the index; undefined where the value is the key. */
  key: string | undefined;
  named: "players" | "teams" | undefined;
  id: string;
  /** Entries under players and teams that are mere mentions are no matches of theirs. */
  counts: string;
}

const INDEXES = {
  time: { source: "matches", key: undefined, named: undefined, id: "id", counts: "" },
  mode: { source: "matches", key: "game_mode", named: undefined, id: "id", counts: "" },
  patch: { source: "matches", key: "patch_version", named: undefined, id: "id", counts: "" },
  player: {
    source: "player_matches",
    key: "player",
    named: "players",
    id: "match_id",
    counts: " AND result < 2",
  },
  team: {
    source: "team_matches",
    key: "team",
    named: "teams",
    id: "match_id",
    counts: " AND plays",
  },
} as const satisfies Record<string, Index>;

/** One way to matches: an index, for each of these values. */
export interface Road {
  index: keyof typeof INDEXES;
  values: string[];
}

const EVERY_MATCH: Road = { index: "time", values: [] };

/** In the order of how selective they usually are. */
export function roadsOf(selection: Selection): Road[] {
  const roads: Road[] = [
    ...selection.players.map((values): Road => ({ index: "player", values })),
    ...selection.teams.map((values): Road => ({ index: "team", values })),
    ...asRoad("patch", selection.patchVersions),
    ...asRoad("mode", selection.gameModes),
  ];
  return roads.length > 0 ? roads : [EVERY_MATCH];
}

function asRoad(index: Road["index"], values: string[] | undefined): Road[] {
  return values === undefined ? [] : [{ index, values }];
}

/** The values of a statement, each with the name it has there. */
export class Values {
  readonly list: unknown[] = [];

  add(value: unknown, type: string): string {
    this.list.push(value);
    return `$${this.list.length}::${type}`;
  }
}

/**
 * A SELECT of (created_at, id): the matches of a road in a range that lie on the others too, in order,
 * after `skip` of them, at most `take`. Each key is walked no further than the page may need it.
 */
export function walk(
  values: Values,
  road: Road,
  others: readonly Road[],
  range: Range,
  direction: Direction,
  page: { skip: number; take: number },
): string {
  const index: Index = INDEXES[road.index];
  const order = direction === "up" ? "ASC" : "DESC";
  const conditions = others.map((other) => ` AND ${alsoOn(values, other, index)}`).join("");
  const within = bounds(values, range);
  const lane = (key: string | undefined, paging: string) =>
    `SELECT created_at, ${index.id} AS id FROM {${index.source}} AS here
     WHERE ${onLane(index, key, within)}${index.counts}${conditions}
     ORDER BY ${orderOfLane(index, order)} ${paging}`;
  const skip = page.skip === 0 ? "" : `OFFSET ${values.add(page.skip, "bigint")} `;
  const paging = `${skip}LIMIT ${values.add(page.take, "bigint")}`;
  if (index.key === undefined) return lane(undefined, paging);
  if (road.values.length === 1) return lane(keyOf(values, index, road.values[0]!), paging);
  const enough = `LIMIT ${values.add(page.skip + page.take, "bigint")}`;
  return `SELECT DISTINCT lane.created_at, lane.id
    FROM unnest(${keysOf(values, index, road.values)}) AS keys (key) CROSS JOIN LATERAL
      (${lane("keys.key", enough)}) AS lane
    ORDER BY created_at ${order}, id ${order} ${paging}`;
}

/** How many entries a road has in a range, counted no further than `enough`, as an expression. */
export function roadLength(values: Values, road: Road, range: Range, enough: number): string {
  const index: Index = INDEXES[road.index];
  return `(SELECT count(*) FROM (
    SELECT 1 FROM unnest(${keysOf(values, index, road.values)}) AS keys (key) CROSS JOIN LATERAL
      (SELECT 1 FROM {${index.source}} WHERE ${onLane(index, "keys.key", bounds(values, range))}
       ORDER BY ${orderOfLane(index, "ASC")} LIMIT ${enough}) AS lane
    LIMIT ${enough}) AS road)`;
}

/** A match is on another road too. */
function alsoOn(values: Values, { index: name, values: given }: Road, here: Index): string {
  const index: Index = INDEXES[name];
  const listed = `${index.key} = ANY(${keysOf(values, index, given)})`;
  if (here.source === index.source && index.named === undefined) return listed;
  return `EXISTS (SELECT 1 FROM {${index.source}} AS other WHERE ${listed}${index.counts}
    AND other.created_at = here.created_at AND other.${index.id} = here.${here.id})`;
}

function keyOf(values: Values, { named }: Index, value: string): string {
  const given = values.add(value, "text");
  return named === undefined ? given : `(SELECT num FROM {${named}} WHERE id = ${given})`;
}

function keysOf(values: Values, { named }: Index, list: string[]): string {
  const given = values.add(list, "text[]");
  return named === undefined ? given : `ARRAY(SELECT num FROM {${named}} WHERE id = ANY(${given}))`;
}

/** The ends of a range, as they are written in a statement. */
interface Bounds {
  low: string;
  lowId: string;
  high: string;
  highId: string;
}

function bounds(values: Values, { from, to }: Range): Bounds {
  return {
    low: values.add(from[0], "bigint"),
    lowId: `${values.add(from[1], "text")} COLLATE "C"`,
    high: values.add(to[0], "bigint"),
    highId: `${values.add(to[1], "text")} COLLATE "C"`,
  };
}

/**
 * What the entries of one key in a range have. Times alone are said as well: they tell which months
 * need not be looked at. Modes and patches are compared as a part of the place, and so ordered by as
 * well, for then no index but theirs will do: along the one by time alone, a rare one is far.
 */
function onLane(index: Index, key: string | undefined, within: Bounds): string {
  const { low, lowId, high, highId } = within;
  const isPart = isPartOfPlace(index);
  const place = `${isPart ? `${index.key}, ` : ""}created_at, ${index.id}`;
  const equals = key === undefined || isPart ? "" : `${index.key} = ${key} AND `;
  const first = isPart ? `${key}, ` : "";
  return `${equals}created_at >= ${low} AND created_at <= ${high}
    AND (${place}) >= (${first}${low}, ${lowId}) AND (${place}) < (${first}${high}, ${highId})`;
}

function orderOfLane(index: Index, order: "ASC" | "DESC"): string {
  const columns = ["created_at", index.id];
  if (isPartOfPlace(index)) columns.unshift(index.key!);
  return columns.map((column) => `${column} ${order}`).join(", ");
}

const isPartOfPlace = ({ key, named }: Index): boolean => key !== undefined && named === undefined;
