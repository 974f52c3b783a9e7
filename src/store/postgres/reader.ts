/** In charge of the read path over a shard in PostgreSQL. */

import type { NamedRow } from "../slab.ts";
import type {
  Bundle,
  CheckFragment,
  NameBearer,
  Page,
  PlayerListing,
  Reader,
  Selection,
  Summary,
  Vocabulary,
} from "../store.ts";
import { readVocabulary } from "../vocabulary.ts";
import { Bundles, type Found, NAMED } from "./bundles.ts";
import { Lookups } from "./lookups.ts";
import { bearersOf, namesAround } from "./name-index.ts";
import type { NamedTable } from "./numbers.ts";
import { findPage, type PageMatch } from "./pages.ts";
import type { Connection, Session } from "./session.ts";
import { readSummary } from "./summary.ts";

/** An answer, with the number of the latest change in the state it was read in. */
export interface AsOf<T> {
  answer: T;
  sequence: number;
}

export class PostgresReader implements Reader {
  readonly #session: Session;
  readonly #bundles: Bundles;
  readonly #lookups: Lookups;
  #vocabulary: { token: string; words: Vocabulary } | undefined;

  constructor(session: Session, cacheBytes: number, check: CheckFragment) {
    this.#session = session;
    this.#bundles = new Bundles(session, cacheBytes, check);
    this.#lookups = new Lookups(session);
  }

  async match(id: string): Promise<Bundle | undefined> {
    const found = await this.#lookups.match(id);
    if (found.matches.length === 0) return undefined;
    const remembered = this.#bundles.remembered(found);
    if (remembered) return remembered;
    const read = await this.#bundles.read((connection) => findMatch(connection, id), found);
    // It may have been removed since.
    return read.matches.length === 0 ? undefined : read.bundle;
  }

  async matches(selection: Selection): Promise<Page> {
    return (await this.matchesAsOf(selection)).answer;
  }

  async matchesAsOf(selection: Selection): Promise<AsOf<Page>> {
    const { bundle, matches, more, sequence } = await this.#bundles.read((connection) =>
      findPage(connection, selection),
    );
    const first = matches[0];
    const last = matches.at(-1);
    const edges = first && last ? { first: spotOf(first), last: spotOf(last) } : undefined;
    return { answer: { ...bundle, edges, more }, sequence };
  }

  async players(ids: string[]): Promise<PlayerListing[]> {
    const rows = await this.#session.rows<NamedRow>(
      `SELECT ${NAMED.players} FROM {players} WHERE id = ANY($1::text[])`,
      [ids],
    );
    const byId = new Map(rows.map((row) => [row.id, this.#bundles.entry(row)]));
    return ids.flatMap((id) => byId.get(id) ?? []);
  }

  /** Of each name no more than `limit` are read, however many players have it. */
  playersNamed(names: string[], limit: number): Promise<PlayerListing[]> {
    return this.#listed(
      `SELECT player.* FROM unnest($1::text[]) WITH ORDINALITY AS given (name, place)
       CROSS JOIN LATERAL (SELECT ${NAMED.players} FROM {players} AS named
         WHERE named.name = given.name COLLATE "C" ORDER BY id LIMIT $2) AS player
       ORDER BY place, player.id LIMIT $2`,
      [names, limit],
    );
  }

  recentPlayers(limit: number): Promise<PlayerListing[]> {
    return this.#listed(
      `SELECT ${NAMED.players} FROM {players} ORDER BY seen_at DESC, id LIMIT $1`,
      [limit],
    );
  }

  async playerIdsNamed(names: string[]): Promise<string[]> {
    return (await this.idsNamedAsOf("players", names)).answer;
  }

  async teamIdsNamed(names: string[]): Promise<string[]> {
    return (await this.idsNamedAsOf("teams", names)).answer;
  }

  /** Where nobody has such a name, there is a row without an id. */
  async idsNamedAsOf(table: NamedTable, names: string[]): Promise<AsOf<string[]>> {
    const rows = await this.#session.rows<{ id: string | null; seq: string }>(
      `SELECT found.id, state.seq FROM {state} AS state LEFT JOIN
         (SELECT place, id FROM unnest($1::text[]) WITH ORDINALITY AS given (name, place)
          JOIN {${table}} AS named ON named.name = given.name COLLATE "C") AS found ON true
       ORDER BY place, id`,
      [names],
    );
    return { answer: rows.flatMap(({ id }) => id ?? []), sequence: Number(rows[0]!.seq) };
  }

  namesAround(keys: string[], before: number, after: number): Promise<string[]> {
    return namesAround(this.#session, keys, before, after);
  }

  bearersOf(names: string[], limit: number): Promise<NameBearer[]> {
    return bearersOf(this.#session, names, limit);
  }

  summary(): Promise<Summary> {
    return readSummary(this.#session).then(({ teams: _, ...summary }) => summary);
  }

  async vocabulary(): Promise<Vocabulary> {
    const [state] = await this.#session.rows<{ token: string }>("SELECT token FROM {state}");
    const { token } = state!;
    if (this.#vocabulary?.token !== token) {
      const rows = await this.#session.rows<{ word: string }>("SELECT word FROM {vocabulary}");
      this.#vocabulary = { token, words: readVocabulary(rows.map(({ word }) => word)) };
    }
    return this.#vocabulary.words;
  }

  close(): Promise<void> {
    return this.#session.close();
  }

  async #listed(statement: string, values: unknown[]): Promise<PlayerListing[]> {
    const rows = await this.#session.rows<NamedRow>(statement, values);
    return rows.map((row) => this.#bundles.entry(row));
  }
}

async function findMatch(connection: Connection, id: string): Promise<Found> {
  const matches = await connection.rows<{ served: Uint8Array; token: string }>(
    "SELECT served, (SELECT token FROM {state}) AS token FROM {sheets} WHERE id = $1",
    [id],
  );
  return { token: matches[0]?.token ?? NO_STATE, matches };
}

/** Where nothing was found, any state will do. */
const NO_STATE = "";

const spotOf = ({ created_at, id }: PageMatch) => ({ createdAt: Number(created_at), id });
