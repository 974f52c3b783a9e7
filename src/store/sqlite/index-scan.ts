/** The prepared statements that scan the indexes of matches. */

import type { SQLQueryBindings, Statement } from "bun:sqlite";
import type { IndexScan, MatchIndex } from "../match-indexes.ts";
import type { Direction, KeyRange } from "../page-range.ts";
import type { Statements } from "./statements.ts";

/** An entry of an index. */
export type IndexEntry = [createdAt: number, id: string];

/** Bounds the cache. There are usually few page and chunk sizes. */
const MAX_PREPARED = 64;

/**
 * Scans an index in one direction for matches that the other indexes list too. Keys are parameters,
 * so each statement is prepared once.
 */
class ScanStatement {
  readonly #index: MatchIndex;
  readonly #conditions: string;
  readonly #order: string;
  readonly #prepared = new Map<number, Statement<unknown, SQLQueryBindings[]>>();

  constructor(
    private readonly statements: Statements,
    { index }: IndexScan,
    others: readonly IndexScan[],
    direction: Direction,
  ) {
    const order = direction === "up" ? "ASC" : "DESC";
    this.#index = index;
    this.#conditions = others.map((other) => ` AND ${alsoIn(other.index, index)}`).join("");
    this.#order = `ORDER BY created_at ${order}, ${index.id} ${order}`;
  }

  /**
   * The matches under one key in a range, in order, after `skip` of them. `otherKeys` are the keys of the other indexes, as
   * JSON lists.
   */
  entries(
    key: string | number,
    otherKeys: string[],
    range: KeyRange,
    take: number,
    skip = 0,
  ): IndexEntry[] {
    const values: SQLQueryBindings[] = this.#index.key === undefined ? [] : [key];
    addBounds(values, range);
    for (const keys of otherKeys) values.push(keys);
    if (skip > 0) values.push(skip);
    return this.#statement(range, take, skip > 0).values(...values) as unknown as IndexEntry[];
  }

  #statement({ from, to }: KeyRange, take: number, skips: boolean) {
    const shape = 8 * take + (from.id === "" ? 4 : 0) + (to.id === "" ? 2 : 0) + (skips ? 1 : 0);
    const known = this.#prepared.get(shape);
    if (known) return known;
    const { table, key, id, counts } = this.#index;
    const statement = this.statements.database.prepare<unknown, SQLQueryBindings[]>(
      // A literal limit: with a parameter, SQLite would prepare the statement again each time.
      `SELECT created_at, ${id} FROM ${table} AS here
       WHERE ${key === undefined ? "" : `${key} = ? AND `}${within({ from, to }, id)}${counts}${this.#conditions}
       ${this.#order} LIMIT ${take}${skips ? " OFFSET ?" : ""}`,
    );
    if (this.#prepared.size >= MAX_PREPARED) this.forget();
    this.#prepared.set(shape, statement);
    return statement;
  }

  forget(): void {
    for (const statement of this.#prepared.values()) statement.finalize();
    this.#prepared.clear();
  }
}

/** Prepares each statement on first use. There are a few hundred at most. */
export class ScanStatements {
  readonly #made = new Map<string, ScanStatement>();

  constructor(readonly statements: Statements) {}

  get(scan: IndexScan, others: readonly IndexScan[], direction: Direction): ScanStatement {
    let name = `${direction} ${scan.name}`;
    for (const other of others) name += ` ${other.name}`;
    let statement = this.#made.get(name);
    if (!statement) {
      statement = new ScanStatement(this.statements, scan, others, direction);
      this.#made.set(name, statement);
    }
    return statement;
  }

  finalize(): void {
    for (const scan of this.#made.values()) scan.forget();
  }
}

/** The number of entries of a scan in a range, counted up to `enough`. */
export function scanLength(
  statements: Statements,
  { index, keys }: IndexScan,
  range: KeyRange,
  enough: number,
): number {
  const { table, key, id } = index;
  const statement = statements.get(
    `SELECT count(*) FROM (SELECT 1 FROM ${table} WHERE ${key} = ? AND ${within(range, id)}
     LIMIT ${enough})`,
  );
  let length = 0;
  for (const value of keys) {
    const values: SQLQueryBindings[] = [value];
    addBounds(values, range);
    length += statement.values(...values)[0]![0] as number;
    if (length >= enough) return enough;
  }
  return length;
}

/** The condition that another index lists the match too. The keys are one JSON list. */
function alsoIn({ table, key, id, named, counts }: MatchIndex, here: MatchIndex): string {
  const isListed = `${key} IN (SELECT value FROM json_each(?))${counts}`;
  if (here.table === table && named === undefined) return isListed;
  return `EXISTS (SELECT 1 FROM ${table} AS other WHERE ${isListed}
    AND other.created_at = here.created_at AND other.${id} = here.${here.id})`;
}

/** Most bounds have no id; comparing times is enough then. */
function within({ from, to }: KeyRange, id: string): string {
  const low = from.id === "" ? "created_at >= ?" : `(created_at, ${id}) >= (?, ?)`;
  const high = to.id === "" ? "created_at < ?" : `(created_at, ${id}) < (?, ?)`;
  return `${low} AND ${high}`;
}

function addBounds(values: SQLQueryBindings[], { from, to }: KeyRange): void {
  for (const { createdAt, id } of [from, to]) {
    values.push(createdAt);
    if (id !== "") values.push(id);
  }
}
