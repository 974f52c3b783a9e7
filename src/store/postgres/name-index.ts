/** The player name index: updates, initial fill and lookup. */

import { indexKeys } from "../../domain/similar-names.ts";
import type { NamedPlayer } from "../store.ts";
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
    `INSERT INTO {name_spots} (spot, name) SELECT * FROM unnest($1::text[], $2::text[])
     ON CONFLICT DO NOTHING`,
    entriesOf(names),
  );
}

async function removeNames(connection: Connection, names: string[]): Promise<void> {
  if (names.length === 0) return;
  await connection.run(
    `DELETE FROM {name_spots} AS old USING unnest($1::text[], $2::text[]) AS gone (spot, name)
     WHERE old.spot = gone.spot COLLATE "C" AND old.name = gone.name COLLATE "C"`,
    entriesOf(names),
  );
}

/** Two columns: the keys, and the name of each. */
function entriesOf(names: string[]): [keys: string[], names: string[]] {
  const entries = names.flatMap((name) => indexKeys(name).map((key) => [key, name] as const));
  return [entries.map(([key]) => key), entries.map(([, name]) => name)];
}

/** Names added per statement. */
const STEP = 2000;

/** Fills the index of a shard without one. */
export async function fillNameIndex(connection: Connection): Promise<void> {
  for (let last = ""; ; ) {
    const rows = await connection.rows<{ name: string }>(
      `SELECT DISTINCT name FROM {players} WHERE name > $1 COLLATE "C" ORDER BY name LIMIT ${STEP}`,
      [last],
    );
    const names = rows.map(({ name }) => name);
    await addNames(connection, names);
    if (names.length < STEP) return;
    last = names.at(-1)!;
  }
}

/** One statement for all keys, with two short index ranges each. */
export async function namesAround(
  connection: Connection,
  keys: string[],
  before: number,
  after: number,
): Promise<string[]> {
  const rows = await connection.rows<{ name: string }>(
    `SELECT name FROM unnest($1::text[]) AS asked (spot) CROSS JOIN LATERAL (
       (SELECT name FROM {name_spots} AS listed WHERE listed.spot >= asked.spot COLLATE "C"
        ORDER BY listed.spot, listed.name LIMIT $2)
       UNION ALL
       (SELECT name FROM {name_spots} AS listed WHERE listed.spot < asked.spot COLLATE "C"
        ORDER BY listed.spot DESC, listed.name DESC LIMIT $3)
     ) AS found`,
    [keys, after, before],
  );
  return [...new Set(rows.map(({ name }) => name))];
}

export function playersWithNames(
  connection: Connection,
  names: string[],
  limit: number,
): Promise<NamedPlayer[]> {
  return connection.rows<NamedPlayer>(
    `SELECT player.id, asked.name
     FROM unnest($1::text[]) WITH ORDINALITY AS asked (name, ordinal) CROSS JOIN LATERAL (
       SELECT id FROM {players} AS named WHERE named.name = asked.name COLLATE "C"
       ORDER BY id LIMIT $2) AS player
     ORDER BY ordinal, player.id`,
    [names, limit],
  );
}
