/** The player name index: updates, initial fill and lookup. */

import { indexKeys } from "../../domain/similar-names.ts";
import type { NamedRow } from "../row-checks.ts";
import { NAMED_COLUMNS, verifyNamesake } from "./named-rows.ts";
import type { Connection } from "./session.ts";

/**
 * Collects the names that players gained or lost in a transaction, and updates the index once at
 * its end.
 */
export class NameIndex {
  readonly #changed = new Set<string>();

  constructor(private readonly connection: Connection) {}

  note(name: string): void {
    this.#changed.add(name);
  }

  /** Called before the commit. */
  async write(): Promise<void> {
    if (this.#changed.size === 0) return;
    const rows = await this.connection.rows<{ name: string }>(
      `SELECT given.name FROM unnest($1::text[]) AS given (name) WHERE EXISTS
         (SELECT 1 FROM {players} AS player WHERE player.name = given.name COLLATE "C")`,
      [[...this.#changed]],
    );
    await addNames(
      this.connection,
      rows.map(({ name }) => name),
    );
    for (const { name } of rows) this.#changed.delete(name);
    await removeNames(this.connection, [...this.#changed]);
    this.#changed.clear();
  }
}

async function addNames(connection: Connection, names: string[]): Promise<void> {
  if (names.length === 0) return;
  await connection.run(
    `INSERT INTO {name_index} (key, name) SELECT * FROM unnest($1::text[], $2::text[])
     ON CONFLICT DO NOTHING`,
    entriesOf(names),
  );
}

async function removeNames(connection: Connection, names: string[]): Promise<void> {
  if (names.length === 0) return;
  await connection.run(
    `DELETE FROM {name_index} AS old USING unnest($1::text[], $2::text[]) AS gone (key, name)
     WHERE old.key = gone.key COLLATE "C" AND old.name = gone.name COLLATE "C"`,
    entriesOf(names),
  );
}

/** Two columns: the keys, and the name of each. */
function entriesOf(names: string[]): [keys: string[], names: string[]] {
  const entries = names.flatMap((name) => indexKeys(name).map((key) => [key, name] as const));
  return [entries.map(([key]) => key), entries.map(([, name]) => name)];
}

/** One statement for all keys, with two short index ranges each. */
export async function namesAround(
  connection: Connection,
  keys: string[],
  before: number,
  after: number,
): Promise<string[]> {
  const rows = await connection.rows<{ name: string }>(
    `SELECT name FROM unnest($1::text[]) AS asked (key) CROSS JOIN LATERAL (
       (SELECT name FROM {name_index} AS listed WHERE listed.key >= asked.key COLLATE "C"
        ORDER BY listed.key, listed.name LIMIT $2)
       UNION ALL
       (SELECT name FROM {name_index} AS listed WHERE listed.key < asked.key COLLATE "C"
        ORDER BY listed.key DESC, listed.name DESC LIMIT $3)
     ) AS found`,
    [keys, after, before],
  );
  return [...new Set(rows.map(({ name }) => name))];
}

/** After every character that may follow a key: no text has a greater one. */
const LAST = "chr(1114111)";

export async function namesBeginning(
  connection: Connection,
  keys: string[],
  limit: number,
): Promise<string[]> {
  const rows = await connection.rows<{ name: string }>(
    `SELECT name FROM unnest($1::text[]) AS asked (key) CROSS JOIN LATERAL (
       SELECT name FROM {name_index} AS listed
       WHERE listed.key >= asked.key COLLATE "C" AND listed.key < (asked.key || ${LAST}) COLLATE "C"
       ORDER BY listed.key, listed.name LIMIT $2) AS found`,
    [keys, limit],
  );
  return [...new Set(rows.map(({ name }) => name))];
}

/** Skips from each character to the next, so that the cost does not depend on the number of names. */
export async function charactersAfter(
  connection: Connection,
  keys: string[],
  limit: number,
): Promise<[key: string, character: string][]> {
  const next = (after: string) => `(SELECT listed.key FROM {name_index} AS listed
    WHERE listed.key > (${after}) COLLATE "C" ORDER BY listed.key LIMIT 1)`;
  const rows = await connection.rows<{ asked: string; character: string }>(
    `WITH RECURSIVE step (asked, found) AS (
       SELECT given.key, ${next("given.key")} FROM unnest($1::text[]) AS given (key)
       UNION ALL
       SELECT asked, ${next(`left(found, length(asked) + 1) || ${LAST}`)}
       FROM step WHERE starts_with(found, asked)
     )
     SELECT asked, substr(found, length(asked) + 1, 1) AS character FROM step
     WHERE starts_with(found, asked) LIMIT $2`,
    [keys, limit],
  );
  return rows.map(({ asked, character }) => [asked, character]);
}

/** Only for an order: the rows are not verified. */
export async function latestOf(
  connection: Connection,
  names: string[],
  limit: number,
): Promise<string[]> {
  const rows = await connection.rows<{ name: string }>(
    // OFFSET keeps the planner from reading all players instead.
    `SELECT given.name FROM unnest($1::text[]) AS given (name) CROSS JOIN LATERAL
       (SELECT last_match_at FROM {players} AS named
        WHERE named.name = given.name COLLATE "C" OFFSET 0) AS timed
     GROUP BY given.name ORDER BY max(last_match_at) DESC, given.name COLLATE "C" LIMIT $2`,
    [names, limit],
  );
  return rows.map(({ name }) => name);
}

export async function latestNames(
  connection: Connection,
  from: number,
  count: number,
): Promise<string[]> {
  const rows = await connection.rows<{ name: string }>(
    `SELECT name FROM {players} AS players ORDER BY players.last_match_at DESC, id LIMIT $1 OFFSET $2`,
    [count, from],
  );
  return rows.map(({ name }) => name);
}

/**
 * The players who have these names, at most `limit` each and `most` in all: in the order of the
 * names, then by id.
 */
export async function playersWithNames(
  connection: Connection,
  names: string[],
  limit: number,
  most = names.length * limit,
): Promise<NamedRow[]> {
  const rows = await connection.rows<NamedRow & { asked: string }>(
    `SELECT player.*, given.name AS asked
     FROM unnest($1::text[]) WITH ORDINALITY AS given (name, ordinal) CROSS JOIN LATERAL (
       SELECT ${NAMED_COLUMNS.players} FROM {players} AS named
       WHERE named.name = given.name COLLATE "C" ORDER BY id LIMIT $2) AS player
     ORDER BY ordinal, player.id LIMIT $3`,
    [names, limit, most],
  );
  return rows.map((row) => verifyNamesake("players", row, row.asked));
}
