/** The player name index: updates, initial fill and lookup. */

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
  return namesIn(statements.get(AROUND).values(after, before, JSON.stringify(keys)));
}

/** After every character that may follow a key: no text has a greater one. */
const LAST = "char(0x10FFFF)";

const BEGINNING = `
  SELECT (SELECT group_concat(name, char(0)) FROM
    (SELECT name FROM name_index
     WHERE name_index.key >= asked.value AND name_index.key < asked.value || ${LAST}
     ORDER BY key, name LIMIT ?))
  FROM json_each(?) AS asked`;

export function namesBeginning(statements: Statements, keys: string[], limit: number): string[] {
  return namesIn(statements.get(BEGINNING).values(limit, JSON.stringify(keys)));
}

/** Names never contain U+0000. */
const namesIn = (rows: unknown[][]): string[] => [
  ...new Set((rows.flat() as (string | null)[]).flatMap((all) => all?.split("\0") ?? [])),
];

/** Skips from each character to the next, so that the cost does not depend on the number of names. */
const CHARACTERS = `
  WITH RECURSIVE step (asked, found) AS (
    SELECT given.value, (SELECT name_index.key FROM name_index
      WHERE name_index.key > given.value ORDER BY name_index.key LIMIT 1)
    FROM json_each(?) AS given
    UNION ALL
    SELECT asked, (SELECT name_index.key FROM name_index
      WHERE name_index.key > substr(found, 1, length(asked) + 1) || ${LAST}
      ORDER BY name_index.key LIMIT 1)
    FROM step WHERE substr(found, 1, length(asked)) = asked
  )
  SELECT asked, substr(found, length(asked) + 1, 1) FROM step
  WHERE substr(found, 1, length(asked)) = asked LIMIT ?`;

export const charactersAfter = (
  statements: Statements,
  keys: string[],
  limit: number,
): [key: string, character: string][] =>
  statements.get(CHARACTERS).values(JSON.stringify(keys), limit) as [string, string][];

/** Only for an order: the rows are not verified. */
const LATEST = `
  SELECT value FROM (SELECT value, (SELECT max(last_match_at) FROM players WHERE name = value) AS time
    FROM json_each(?))
  WHERE time IS NOT NULL ORDER BY time DESC, value LIMIT ?`;

export function latestOf(statements: Statements, names: string[], limit: number): string[] {
  return (statements.get(LATEST).values(JSON.stringify(names), limit) as [string][]).flat();
}

export function latestNames(statements: Statements, from: number, count: number): string[] {
  const latest = "SELECT name FROM players ORDER BY last_match_at DESC, id LIMIT ? OFFSET ?";
  return (statements.get(latest).values(count, from) as [string][]).flat();
}
