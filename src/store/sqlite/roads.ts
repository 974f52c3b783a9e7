/** In charge of the indexes that lead to matches in order, and of the statements that walk them. */

import type { SQLQueryBindings, Statement } from "bun:sqlite";
import type { Direction, Range } from "../places.ts";
import type { Statements } from "./statements.ts";

interface Index {
  source: string;
  /** Undefined where every match is on the one road there is. */
  key: string | undefined;
  id: string;
  num: string;
  /** Entries under players and teams that are mere mentions are no matches of theirs. */
  counts: string;
}

const INDEXES = {
  time: { source: "matches", key: undefined, id: "id", num: "num", counts: "" },
  mode: { source: "matches", key: "game_mode", id: "id", num: "num", counts: "" },
  patch: { source: "matches", key: "patch_version", id: "id", num: "num", counts: "" },
  player: {
    source: "player_matches",
    key: "player",
    id: "match_id",
    num: "match",
    counts: "result < 2 AND ",
  },
  team: {
    source: "team_matches",
    key: "team",
    id: "match_id",
    num: "match",
    counts: "plays = 1 AND ",
  },
} as const satisfies Record<string, Index>;

export type Key = string | number;

/** One way to matches: an index, for each of these keys. */
export interface Road {
  index: keyof typeof INDEXES;
  keys: Key[];
}

export const EVERY_MATCH: Road = { index: "time", keys: [""] };

/**
 * A kind of road on which only those matches count that lie on others too, seen in one direction. The
 * keys come with each walk, so that a lane is made once.
 */
class Lane {
  readonly #statements: Statements;
  readonly #index: Index;
  readonly #columns: string;
  readonly #conditions: string;
  readonly #order: string;
  readonly #prepared = new Map<number, Statement<unknown, SQLQueryBindings[]>>();

  constructor(
    statements: Statements,
    road: Road["index"],
    others: readonly Road["index"][],
    direction: Direction,
    columns: Columns,
  ) {
    const index: Index = INDEXES[road];
    const order = direction === "up" ? "ASC" : "DESC";
    this.#statements = statements;
    this.#index = index;
    this.#columns = columns.replace("num", index.num);
    this.#conditions = others.map((other) => ` AND ${alsoOn(other, index)}`).join("");
    this.#order = `ORDER BY created_at ${order}, ${index.id} ${order}`;
  }

  /**
   * The columns of the matches of one key in a range, after `skip` of them, at most `take`; `lists`
   * are the keys of the other roads, each as JSON.
   */
  read(key: Key, lists: string[], range: Range, take: number, skip: number): number[][] {
    const values: SQLQueryBindings[] = this.#index.key === undefined ? [] : [key];
    addBounds(values, range);
    for (const list of lists) values.push(list);
    if (skip > 0) values.push(skip);
    return this.#statement(range, take, skip > 0).values(...values) as number[][];
  }

  #statement(range: Range, take: number, skips: boolean) {
    const shape =
      8 * take + (range.from[1] === "" ? 4 : 0) + (range.to[1] === "" ? 2 : 0) + (skips ? 1 : 0);
    const known = this.#prepared.get(shape);
    if (known) return known;
    const { source, key, id, counts } = this.#index;
    const statement = this.#statements.database.prepare<unknown, SQLQueryBindings[]>(
      // The limit is part of the text: as a parameter it would have the statement prepared each time.
      `SELECT ${this.#columns} FROM ${source} AS here
       WHERE ${counts}${key === undefined ? "" : `${key} = ? AND `}${within(range, id)}${this.#conditions}
       ${this.#order} LIMIT ${take}${skips ? " OFFSET ?" : ""}`,
    );
    if (this.#prepared.size >= MOST_SHAPES) this.#forget();
    this.#prepared.set(shape, statement);
    return statement;
  }

  #forget(): void {
    for (const statement of this.#prepared.values()) statement.finalize();
    this.#prepared.clear();
  }
}

type Columns = "num" | "created_at, num";

/** Pages and chunks have few sizes; this is for whoever tries them all. */
const MOST_SHAPES = 64;

/** The lanes of a shard, each made when it is first needed. There are some hundreds at most. */
export class Lanes {
  readonly #made = new Map<string, Lane>();

  constructor(readonly statements: Statements) {}

  get(road: Road, others: readonly Road[], direction: Direction, columns: Columns): Lane {
    const alongside = others.map(({ index }) => index);
    const name = `${road.index} ${alongside} ${direction} ${columns}`;
    const known = this.#made.get(name);
    if (known) return known;
    const lane = new Lane(this.statements, road.index, alongside, direction, columns);
    this.#made.set(name, lane);
    return lane;
  }
}

/** How many entries a road has in a range, counted no further than `enough`. */
export function roadLength(
  statements: Statements,
  { index, keys }: Road,
  range: Range,
  enough: number,
): number {
  const { source, key, id } = INDEXES[index];
  const statement = statements.get(
    `SELECT count(*) FROM (SELECT 1 FROM ${source} WHERE ${key} = ? AND ${within(range, id)}
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

/** A match is on another road too. The keys are one value: a list in JSON. */
function alsoOn(index: Road["index"], here: Index): string {
  const { source, key, counts } = INDEXES[index];
  const listed = "IN (SELECT value FROM json_each(?))";
  if (index === "player" || index === "team") {
    return `EXISTS (SELECT 1 FROM ${source} WHERE ${counts}${key} ${listed}
      AND created_at = here.created_at AND match_id = here.${here.id})`;
  }
  if (here.source === source) return `${key} ${listed}`;
  return `EXISTS (SELECT 1 FROM ${source} WHERE num = here.${here.num} AND ${key} ${listed})`;
}

/** Most places lie between moments and not between the matches of one: then times alone will do. */
function within({ from, to }: Range, id: string): string {
  const low = from[1] === "" ? "created_at >= ?" : `(created_at, ${id}) >= (?, ?)`;
  const high = to[1] === "" ? "created_at < ?" : `(created_at, ${id}) < (?, ?)`;
  return `${low} AND ${high}`;
}

function addBounds(values: SQLQueryBindings[], range: Range): void {
  for (const [createdAt, id] of [range.from, range.to]) {
    values.push(createdAt);
    if (id !== "") values.push(id);
  }
}
