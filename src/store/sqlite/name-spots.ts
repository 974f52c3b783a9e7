/** In charge of the index of names: kept up with the players, filled for those of older files, and asked. */

import type { Database } from "bun:sqlite";
import { spotsOf } from "../../domain/name-spots.ts";
import type { NameBearer } from "../store.ts";
import type { Statements } from "./statements.ts";

const ADD = "INSERT INTO name_spots (spot, name) VALUES (?, ?)";
const REMOVE = "DELETE FROM name_spots WHERE spot = ? AND name = ?";

/** What a transaction changes of the index: names are gathered, and looked at once, at its end. */
export class NameSpots {
  readonly #statements: Statements;
  readonly #touched = new Set<string>();

  constructor(statements: Statements) {
    this.#statements = statements;
  }

  /** Somebody has taken up this name, or given it up. */
  note(name: string): void {
    this.#touched.add(name);
  }

  /** To be called before the commit. */
  write(): void {
    for (const name of this.#touched) {
      const spots = spotsOf(name);
      const isBorne = this.#has("SELECT 1 FROM players WHERE name = ? LIMIT 1", name);
      const isListed = this.#has(
        "SELECT 1 FROM name_spots WHERE spot = ? AND name = ?",
        spots[0]!,
        name,
      );
      if (isBorne === isListed) continue;
      for (const spot of spots) this.#statements.run(isBorne ? ADD : REMOVE, spot, name);
    }
    this.forget();
  }

  /** After what was written here was undone. */
  forget(): void {
    this.#touched.clear();
  }

  #has(sql: string, ...values: string[]): boolean {
    return this.#statements.row(sql, ...values) !== null;
  }
}

/** Of a file that has no index yet. Sorted first: so it is written from its beginning to its end. */
export function listAllNames(database: Database): void {
  database.run("CREATE TEMP TABLE unsorted (spot TEXT NOT NULL, name TEXT NOT NULL)");
  const add = database.prepare("INSERT INTO temp.unsorted (spot, name) VALUES (?, ?)");
  const names = database.prepare("SELECT DISTINCT name FROM players WHERE name IS NOT NULL");
  for (const { name } of names.iterate() as Iterable<{ name: string }>) {
    for (const spot of spotsOf(name)) add.run(spot, name);
  }
  database.run(
    "INSERT INTO name_spots (spot, name) SELECT spot, name FROM temp.unsorted ORDER BY spot, name",
  );
  add.finalize();
  names.finalize();
  database.run("DROP TABLE temp.unsorted");
}

/** One statement for all spots: to begin another one takes longer than to read a few rows. */
const AROUND = `
  SELECT
    (SELECT group_concat(name, char(0)) FROM
      (SELECT name FROM name_spots WHERE spot >= asked.value ORDER BY spot, name LIMIT ?)),
    (SELECT group_concat(name, char(0)) FROM
      (SELECT name FROM name_spots WHERE spot < asked.value ORDER BY spot DESC, name DESC LIMIT ?))
  FROM json_each(?) AS asked`;

export function namesAround(
  statements: Statements,
  spots: string[],
  before: number,
  after: number,
): string[] {
  const rows = statements.get(AROUND).values(after, before, JSON.stringify(spots));
  const names = new Set<string>();
  for (const joined of rows.flat() as (string | null)[]) {
    // No name has U+0000 in it.
    for (const name of joined?.split("\0") ?? []) names.add(name);
  }
  return [...names];
}

export function bearersOf(statements: Statements, names: string[], limit: number): NameBearer[] {
  const byName = statements.get(`SELECT id FROM players WHERE name = ? ORDER BY id LIMIT ${limit}`);
  return names.flatMap((name) => byName.values(name).map(([id]) => ({ id: id as string, name })));
}
