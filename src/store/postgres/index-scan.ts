/** The indexes that list matches in order, and the SQL that scans them. */

import type { Direction, KeyRange } from "../page-range.ts";
import type { Selection } from "../store.ts";

interface Index {
  table: string;
  /** Undefined for the index of all matches. */
  key: string | undefined;
  /** The table that maps the given id to the key; undefined if the given value is the key. */
  named: "players" | "teams" | undefined;
  id: string;
  /** Excludes entries of players and teams who are only mentioned. */
  counts: string;
}

const MATCHES = { table: "matches", named: undefined, id: "id", counts: "" };
const PLAYERS = {
  table: "player_matches",
  key: "player",
  named: "players",
  id: "match_id",
} as const;
const TEAMS = { table: "team_matches", key: "team", named: "teams", id: "match_id" } as const;

const INDEXES = {
  time: { ...MATCHES, key: undefined },
  mode: { ...MATCHES, key: "game_mode" },
  patch: { ...MATCHES, key: "patch_version" },
  player: { ...PLAYERS, counts: " AND result < 2" },
  team: { ...TEAMS, counts: " AND plays" },
} as const satisfies Record<string, Index>;

/** Selects the matches that an index lists under any of these values. */
export interface IndexScan {
  index: keyof typeof INDEXES;
  values: string[];
}

const EVERY_MATCH: IndexScan = { index: "time", values: [] };

/** Usually most selective first. */
export function scansOf(selection: Selection): IndexScan[] {
  const { players, teams, patchVersions, gameModes } = selection;
  const scans: IndexScan[] = [
    ...players.map((values): IndexScan => ({ index: "player", values })),
    ...teams.map((values): IndexScan => ({ index: "team", values })),
  ];
  if (patchVersions) scans.push({ index: "patch", values: patchVersions });
  if (gameModes) scans.push({ index: "mode", values: gameModes });
  return scans.length > 0 ? scans : [EVERY_MATCH];
}

/** Collects the parameters of a statement. */
export class Values {
  readonly list: unknown[] = [];

  add(value: unknown, type: string): string {
    this.list.push(value);
    return `$${this.list.length}::${type}`;
  }
}

/**
 * A SELECT of (created_at, id): the matches of a scan in a range that the other scans list too, in
 * order, after `skip` of them, at most `take`. Reads each key only as far as the page may need it.
 */
export function scanSql(
  values: Values,
  scan: IndexScan,
  others: readonly IndexScan[],
  range: KeyRange,
  direction: Direction,
  page: { skip: number; take: number },
): string {
  const index: Index = INDEXES[scan.index];
  const order = direction === "up" ? "ASC" : "DESC";
  const conditions = others.map((other) => ` AND ${alsoIn(values, other, index)}`).join("");
  const within = bounds(values, range);
  const ofKey = (key: string | undefined, paging: string) =>
    `SELECT created_at, ${index.id} AS id FROM {${index.table}} AS here
     WHERE ${entriesWhere(index, key, within)}${index.counts}${conditions}
     ORDER BY ${entryOrder(index, order)} ${paging}`;
  const skip = page.skip === 0 ? "" : `OFFSET ${values.add(page.skip, "bigint")} `;
  const paging = `${skip}LIMIT ${values.add(page.take, "bigint")}`;
  if (index.key === undefined) return ofKey(undefined, paging);
  if (scan.values.length === 1) return ofKey(keyOf(values, index, scan.values[0]!), paging);
  const enough = `LIMIT ${values.add(page.skip + page.take, "bigint")}`;
  return `SELECT DISTINCT entry.created_at, entry.id
    FROM unnest(${keysOf(values, index, scan.values)}) AS keys (key) CROSS JOIN LATERAL
      (${ofKey("keys.key", enough)}) AS entry
    ORDER BY created_at ${order}, id ${order} ${paging}`;
}

/** An expression for the number of entries of a scan in a range, counted up to `enough`. */
export function scanLength(
  values: Values,
  scan: IndexScan,
  range: KeyRange,
  enough: number,
): string {
  const index: Index = INDEXES[scan.index];
  return `(SELECT count(*) FROM (
    SELECT 1 FROM unnest(${keysOf(values, index, scan.values)}) AS keys (key) CROSS JOIN LATERAL
      (SELECT 1 FROM {${index.table}} WHERE ${entriesWhere(index, "keys.key", bounds(values, range))}
       ORDER BY ${entryOrder(index, "ASC")} LIMIT ${enough}) AS entry
    LIMIT ${enough}) AS scan)`;
}

/** The condition that another index lists the match too. */
function alsoIn(values: Values, { index: name, values: given }: IndexScan, here: Index): string {
  const index: Index = INDEXES[name];
  const listed = `${index.key} = ANY(${keysOf(values, index, given)})`;
  if (here.table === index.table && index.named === undefined) return listed;
  return `EXISTS (SELECT 1 FROM {${index.table}} AS other WHERE ${listed}${index.counts}
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

/** The bounds of a range, as SQL. */
interface Bounds {
  low: string;
  lowId: string;
  high: string;
  highId: string;
}

function bounds(values: Values, { from, to }: KeyRange): Bounds {
  return {
    low: values.add(from.createdAt, "bigint"),
    lowId: `${values.add(from.id, "text")} COLLATE "C"`,
    high: values.add(to.createdAt, "bigint"),
    highId: `${values.add(to.id, "text")} COLLATE "C"`,
  };
}

/**
 * The condition for the entries of one key in a range. It also bounds the time alone, so that
 * partitions are pruned. Modes and patches are part of the compared and sorted key, which forces
 * the planner to use their index: with the index by time alone, it would read far for a rare value.
 */
function entriesWhere(index: Index, key: string | undefined, within: Bounds): string {
  const { low, lowId, high, highId } = within;
  const isPart = isPartOfRange(index);
  const columns = `${isPart ? `${index.key}, ` : ""}created_at, ${index.id}`;
  const equals = key === undefined || isPart ? "" : `${index.key} = ${key} AND `;
  const first = isPart ? `${key}, ` : "";
  return `${equals}created_at >= ${low} AND created_at <= ${high}
    AND (${columns}) >= (${first}${low}, ${lowId}) AND (${columns}) < (${first}${high}, ${highId})`;
}

function entryOrder(index: Index, order: "ASC" | "DESC"): string {
  const columns = ["created_at", index.id];
  if (isPartOfRange(index)) columns.unshift(index.key!);
  return columns.map((column) => `${column} ${order}`).join(", ");
}

const isPartOfRange = ({ key, named }: Index): boolean => key !== undefined && named === undefined;
