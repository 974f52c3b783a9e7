/** The indexes that list matches in order, and the prepared statements that scan them. */

import type { SQLQueryBindings, Statement } from "bun:sqlite";
import type { Direction, KeyRange } from "../page-range.ts";
import type { MatchRow } from "../row-checks.ts";
import type { Statements } from "./statements.ts";

interface Index {
  table: string;
  /** Undefined for the index of all matches. */
  key: string | undefined;
  id: string;
  num: string;
  /** Excludes entries of players and teams who are only mentioned. */
  counts: string;
}

const MATCHES = { table: "matches", id: "id", num: "num", counts: "" };
const ENTRIES = { id: "match_id", num: "match" };

const INDEXES = {
  time: { ...MATCHES, key: undefined },
  mode: { ...MATCHES, key: "game_mode" },
  patch: { ...MATCHES, key: "patch_version" },
  player: { ...ENTRIES, table: "player_matches", key: "player", counts: "result < 2 AND " },
  team: { ...ENTRIES, table: "team_matches", key: "team", counts: "plays = 1 AND " },
} as const satisfies Record<string, Index>;

type IndexName = keyof typeof INDEXES;

/** Selects the matches that an index lists under any of these keys. */
export interface IndexScan {
  index: IndexName;
  keys: (string | number)[];
}

export const EVERY_MATCH: IndexScan = { index: "time", keys: [""] };

/** An entry of an index: the key of a match, and the number of its row. */
export type IndexEntry = [createdAt: number, id: string, num: number];

/**
 * The row that an entry of the table `listed` leads to. Its key is that of the entry, which the checksum covers, so that
 * an entry that leads to another row, or to none, is noticed.
 */
export const LISTED_ROW = `SELECT listed.id, listed.created_at, game_mode, patch_version, results,
  document, checksum`;

/** Bounds the cache. There are usually few page and chunk sizes. */
const MAX_PREPARED = 64;

/**
 * Scans an index in one direction for matches that the other indexes list too. Keys are parameters,
 * so each statement is prepared once.
 */
class ScanStatement {
  readonly #index: Index;
  readonly #conditions: string;
  readonly #order: string;
  readonly #prepared = new Map<number, Statement<unknown, SQLQueryBindings[]>>();

  constructor(
    private readonly statements: Statements,
    name: IndexName,
    others: readonly IndexName[],
    direction: Direction,
  ) {
    const index: Index = INDEXES[name];
    const order = direction === "up" ? "ASC" : "DESC";
    this.#index = index;
    this.#conditions = others.map((other) => ` AND ${alsoIn(other, index)}`).join("");
    this.#order = `ORDER BY created_at ${order}, ${index.id} ${order}`;
  }

  /** The matches under one key in a range, in order. */
  entries(key: string | number, otherKeys: string[], range: KeyRange, take: number): IndexEntry[] {
    const values = this.#values(key, otherKeys, range, 0);
    return this.#statement(range, take, false, false).values(...values) as unknown as IndexEntry[];
  }

  /** The same with their rows, after `skip` of them: one statement is faster than one for each row. */
  rows(
    key: string | number,
    otherKeys: string[],
    range: KeyRange,
    take: number,
    skip: number,
  ): MatchRow[] {
    const values = this.#values(key, otherKeys, range, skip);
    return this.#statement(range, take, skip > 0, true).all(...values) as MatchRow[];
  }

  /** `otherKeys` are the keys of the other indexes, as JSON lists. */
  #values(
    key: string | number,
    otherKeys: string[],
    range: KeyRange,
    skip: number,
  ): SQLQueryBindings[] {
    const values: SQLQueryBindings[] = this.#index.key === undefined ? [] : [key];
    addBounds(values, range);
    for (const keys of otherKeys) values.push(keys);
    if (skip > 0) values.push(skip);
    return values;
  }

  #statement({ from, to }: KeyRange, take: number, skips: boolean, hasRows: boolean) {
    const shape =
      16 * take +
      (from.id === "" ? 8 : 0) +
      (to.id === "" ? 4 : 0) +
      (skips ? 2 : 0) +
      (hasRows ? 1 : 0);
    const known = this.#prepared.get(shape);
    if (known) return known;
    const { table, key, id, num, counts } = this.#index;
    // A literal limit: with a parameter, SQLite would prepare the statement again each time.
    const entries = `SELECT created_at, ${id} AS id, ${num} AS num
       FROM ${table} AS here
       WHERE ${counts}${key === undefined ? "" : `${key} = ? AND `}${within({ from, to }, id)}${this.#conditions}
       ${this.#order} LIMIT ${take}${skips ? " OFFSET ?" : ""}`;
    const statement = this.statements.database.prepare<unknown, SQLQueryBindings[]>(
      // The order of the entries remains; readers check it.
      hasRows
        ? `${LISTED_ROW} FROM (${entries}) AS listed LEFT JOIN matches ON matches.num = listed.num`
        : entries,
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

  get({ index }: IndexScan, others: readonly IndexScan[], direction: Direction): ScanStatement {
    let name = `${direction} ${index}`;
    for (const other of others) name += ` ${other.index}`;
    let scan = this.#made.get(name);
    if (!scan) {
      const otherIndexes = others.map((other) => other.index);
      scan = new ScanStatement(this.statements, index, otherIndexes, direction);
      this.#made.set(name, scan);
    }
    return scan;
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
  const { table, key, id } = INDEXES[index];
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
function alsoIn(name: IndexName, here: Index): string {
  const { table, key, counts } = INDEXES[name];
  const isListed = `${key} IN (SELECT value FROM json_each(?))`;
  if (name === "player" || name === "team") {
    return `EXISTS (SELECT 1 FROM ${table} WHERE ${counts}${isListed}
      AND created_at = here.created_at AND match_id = here.${here.id})`;
  }
  if (here.table === table) return isListed;
  return `EXISTS (SELECT 1 FROM ${table} WHERE num = here.${here.num} AND ${isListed})`;
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
