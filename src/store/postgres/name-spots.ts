/** In charge of the index of names: kept up with the players, filled for those of older shards, and asked. */

import { spotsOf } from "../../domain/name-spots.ts";
import type { NameBearer } from "../store.ts";
import { type GivenColumn, given, insertRows } from "./columns.ts";
import type { Connection } from "./session.ts";

/** What a transaction changes of the index: names are gathered, and looked at once, at its end. */
export class NameSpots {
  readonly #touched = new Set<string>();

  constructor(private readonly connection: Connection) {}

  /** Somebody has taken up this name, or given it up. */
  note(name: string): void {
    this.#touched.add(name);
  }

  /** To be called before the commit. */
  async write(): Promise<void> {
    if (this.#touched.size === 0) return;
    const names = [...this.#touched];
    const states = await this.connection.rows<NameState>(
      `SELECT given.name,
         EXISTS (SELECT 1 FROM {players} AS named WHERE named.name = given.name COLLATE "C")
           AS is_borne,
         EXISTS (SELECT 1 FROM {name_spots} AS listed WHERE listed.spot = given.spot COLLATE "C"
           AND listed.name = given.name COLLATE "C") AS is_listed
       FROM unnest($1::text[], $2::text[]) AS given (name, spot)`,
      [names, names.map((name) => spotsOf(name)[0])],
    );
    await list(this.connection, namesOf(states, true));
    await unlist(this.connection, namesOf(states, false));
    this.#touched.clear();
  }
}

interface NameState {
  name: string;
  is_borne: boolean;
  is_listed: boolean;
}

/** Those borne that are not listed yet, or those listed that nobody bears any longer. */
const namesOf = (states: NameState[], isBorne: boolean): string[] =>
  states
    .filter(({ is_borne, is_listed }) => is_borne === isBorne && is_listed !== isBorne)
    .map(({ name }) => name);

function spotColumns(names: string[]): GivenColumn[] {
  const pairs = names.flatMap((name) => spotsOf(name).map((spot) => [spot, name] as const));
  return [
    { name: "spot", type: "text", values: pairs.map(([spot]) => spot) },
    { name: "name", type: "text", values: pairs.map(([, name]) => name) },
  ];
}

async function list(connection: Connection, names: string[]): Promise<void> {
  if (names.length > 0) await insertRows(connection, "name_spots", spotColumns(names));
}

async function unlist(connection: Connection, names: string[]): Promise<void> {
  if (names.length === 0) return;
  const { source, values } = given(spotColumns(names));
  await connection.run(
    `DELETE FROM {name_spots} AS listed USING ${source}
     WHERE listed.spot = given.spot COLLATE "C" AND listed.name = given.name COLLATE "C"`,
    values,
  );
}

/** As many names as are listed in one statement. */
const STEP = 2000;

/** Of a shard that has no index yet. */
export async function listAllNames(connection: Connection): Promise<void> {
  for (let last = ""; ; ) {
    const rows = await connection.rows<{ name: string }>(
      `SELECT DISTINCT name FROM {players} WHERE name > $1 COLLATE "C" ORDER BY name LIMIT ${STEP}`,
      [last],
    );
    await list(
      connection,
      rows.map(({ name }) => name),
    );
    if (rows.length < STEP) return;
    last = rows.at(-1)!.name;
  }
}

/** All spots in one statement, each two short ranges of the one index. */
export async function namesAround(
  connection: Connection,
  spots: string[],
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
    [spots, after, before],
  );
  return [...new Set(rows.map(({ name }) => name))];
}

export function bearersOf(
  connection: Connection,
  names: string[],
  limit: number,
): Promise<NameBearer[]> {
  return connection.rows<NameBearer>(
    `SELECT bearer.id, asked.name
     FROM unnest($1::text[]) WITH ORDINALITY AS asked (name, place) CROSS JOIN LATERAL (
       SELECT id FROM {players} AS named WHERE named.name = asked.name COLLATE "C"
       ORDER BY id LIMIT $2) AS bearer
     ORDER BY place, bearer.id`,
    [names, limit],
  );
}
