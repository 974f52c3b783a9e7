/** The player name index: updates, initial fill and lookup. */

import type { Database } from "bun:sqlite";
import { indexKeys } from "../../domain/similar-names.ts";
import type { Statements } from "./statements.ts";

/** One statement for all keys of a name: starting a statement costs more than writing a row. */
const ADD = "INSERT OR IGNORE INTO name_index (key, name) SELECT value, ? FROM json_each(?)";
const REMOVE = "DELETE FROM name_index WHERE name = ? AND key IN (SELECT value FROM json_each(?))";

/**
 * Collects the names that players gained or lost in a transaction, and updates the index once at
 * its end.
 */
export class NameIndex {
  readonly #changed = new Set<string>();

  constructor(private readonly statements: Statements) {}

  note(name: string): void {
    this.#changed.add(name);
  }

  /** Called before the commit. */
  write(): void {
    for (const name of this.#changed) {
      const isUsed = this.statements.row("SELECT 1 FROM players WHERE name = ? LIMIT 1", name);
      this.statements.run(isUsed ? ADD : REMOVE, name, JSON.stringify(indexKeys(name)));
    }
    this.forget();
  }

  forget(): void {
    this.#changed.clear();
  }
}

/** Fills the index of a file without one, in sorted order. Part of a migration: the names are those of its time. */
export function fillNameIndex(database: Database): void {
  database.run("CREATE TEMP TABLE unsorted (spot TEXT NOT NULL, name TEXT NOT NULL)");
  const add = database.prepare("INSERT INTO temp.unsorted (spot, name) VALUES (?, ?)");
  const names = database.prepare("SELECT DISTINCT name FROM players WHERE name IS NOT NULL");
  for (const { name } of names.iterate() as Iterable<{ name: string }>) {
    for (const key of indexKeys(name)) add.run(key, name);
  }
  database.run(
    "INSERT INTO name_spots (spot, name) SELECT spot, name FROM temp.unsorted ORDER BY spot, name",
  );
  add.finalize();
  names.finalize();
  database.run("DROP TABLE temp.unsorted");
}

/** `key` alone would be the column of json_each in a file whose schema is damaged. */
const AROUND = `
  SELECT
    (SELECT group_concat(name, char(0)) FROM
      (SELECT name FROM name_index WHERE name_index.key >= asked.value ORDER BY key, name LIMIT ?)),
    (SELECT group_concat(name, char(0)) FROM
      (SELECT name FROM name_index WHERE name_index.key < asked.value ORDER BY key DESC, name DESC LIMIT ?))
  FROM json_each(?) AS asked`;

export function namesAround(
  statements: Statements,
  keys: string[],
  before: number,
  after: number,
): string[] {
  const rows = statements.get(AROUND).values(after, before, JSON.stringify(keys));
  // Names never contain U+0000.
  return [...new Set((rows.flat() as (string | null)[]).flatMap((all) => all?.split("\0") ?? []))];
}
