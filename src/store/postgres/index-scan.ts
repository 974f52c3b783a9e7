/** The SQL that scans the indexes of matches. */

import type { IndexScan, MatchIndex } from "../match-indexes.ts";
import type { Direction, KeyRange } from "../page-range.ts";

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
  scan: IndexScan<string>,
  others: readonly IndexScan<string>[],
  range: KeyRange,
  direction: Direction,
  page: { skip: number; take: number },
): string {
  const { index, keys } = scan;
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
  if (keys.length === 1) return ofKey(keyOf(values, index, keys[0]!), paging);
  const enough = `LIMIT ${values.add(page.skip + page.take, "bigint")}`;
  return `SELECT DISTINCT entry.created_at, entry.id
    FROM unnest(${keysOf(values, index, keys)}) AS keys (key) CROSS JOIN LATERAL
      (${ofKey("keys.key", enough)}) AS entry
    ORDER BY created_at ${order}, id ${order} ${paging}`;
}

/** An expression for the number of entries of a scan in a range, counted up to `enough`. */
export function scanLength(
  values: Values,
  scan: IndexScan<string>,
  range: KeyRange,
  enough: number,
): string {
  const { index, keys } = scan;
  return `(SELECT count(*) FROM (
    SELECT 1 FROM unnest(${keysOf(values, index, keys)}) AS keys (key) CROSS JOIN LATERAL
      (SELECT 1 FROM {${index.table}} WHERE ${entriesWhere(index, "keys.key", bounds(values, range))}
       ORDER BY ${entryOrder(index, "ASC")} LIMIT ${enough}) AS entry
    LIMIT ${enough}) AS scan)`;
}

/** The condition that another index lists the match too. */
function alsoIn(values: Values, { index, keys }: IndexScan<string>, here: MatchIndex): string {
  const listed = `${index.key} = ANY(${keysOf(values, index, keys)})`;
  if (here.table === index.table && index.named === undefined) return listed;
  return `EXISTS (SELECT 1 FROM {${index.table}} AS other WHERE ${listed}${index.counts}
    AND other.created_at = here.created_at AND other.${index.id} = here.${here.id})`;
}

function keyOf(values: Values, { named }: MatchIndex, value: string): string {
  const given = values.add(value, "text");
  return named === undefined ? given : `(SELECT num FROM {${named}} WHERE id = ${given})`;
}

function keysOf(values: Values, { named }: MatchIndex, list: readonly string[]): string {
  const given = values.add(list, "text[]");
  return named === undefined ? given : `ARRAY(SELECT num FROM {${named}} WHERE id = ANY(${given}))`;
}

/** The bounds of a range, as SQL. */
function bounds(values: Values, { from, to }: KeyRange) {
  return {
    low: values.add(from.createdAt, "bigint"),
    lowId: `${values.add(from.id, "text")} COLLATE "C"`,
    high: values.add(to.createdAt, "bigint"),
    highId: `${values.add(to.id, "text")} COLLATE "C"`,
  };
}

/**
 * The condition for the entries of one key in a range. Modes and patches are part of the compared and sorted key, which
 * forces the planner to use their index: with the index by time alone, it would read far for a rare value.
 */
function entriesWhere(
  index: MatchIndex,
  key: string | undefined,
  within: ReturnType<typeof bounds>,
): string {
  const { low, lowId, high, highId } = within;
  const isPart = isPartOfRange(index);
  const columns = `${isPart ? `${index.key}, ` : ""}created_at, ${index.id}`;
  const equals = key === undefined || isPart ? "" : `${index.key} = ${key} AND `;
  const first = isPart ? `${key}, ` : "";
  return `${equals}(${columns}) >= (${first}${low}, ${lowId}) AND (${columns}) < (${first}${high}, ${highId})`;
}

function entryOrder(index: MatchIndex, order: "ASC" | "DESC"): string {
  const columns = ["created_at", index.id];
  if (isPartOfRange(index)) columns.unshift(index.key!);
  return columns.map((column) => `${column} ${order}`).join(", ");
}

const isPartOfRange = ({ key, named }: MatchIndex): boolean =>
  key !== undefined && named === undefined;
