/** Reads served records from a shard in PostgreSQL. */

import { isTableMissing } from "../../postgres/errors.ts";
import type { NamedRow } from "../cache.ts";
import { readVocabulary } from "../row-encoding.ts";
import {
  type CheckFragment,
  type MatchesWithLinked,
  MigrationNeeded,
  type NamedPlayer,
  type Page,
  type PlayerListing,
  type Reader,
  type Selection,
  type Sizes,
  type Summary,
  type Vocabulary,
} from "../store.ts";
import { readBytes, readSummary } from "./counters.ts";
import { type FoundMatches, LinkedResources, NAMED } from "./linked-resources.ts";
import { namesAround, playersWithNames } from "./name-index.ts";
import { findPage, type PageMatch } from "./pages.ts";
import type { NamedTable } from "./players.ts";
import { MIGRATIONS } from "./schema.ts";
import type { Connection, Session } from "./session.ts";

/** A result with the sequence number of the state it was read in. */
export interface AsOf<T> {
  answer: T;
  sequence: number;
}

export class PostgresReader implements Reader {
  readonly #linked: LinkedResources;
  readonly #lookups: MatchLookups;
  #vocabulary: { token: string; words: Vocabulary } | undefined;

  constructor(
    private readonly session: Session,
    cacheBytes: number,
    check: CheckFragment,
  ) {
    this.#linked = new LinkedResources(session, cacheBytes, check);
    this.#lookups = new MatchLookups(session);
  }

  async match(id: string): Promise<MatchesWithLinked | undefined> {
    const found = await this.#lookups.match(id);
    if (found.matches.length === 0) return undefined;
    const remembered = this.#linked.remembered(found);
    if (remembered) return remembered;
    const read = await this.#linked.read((connection) => findMatch(connection, id), found);
    // It may have been removed since.
    return read.matches.length === 0 ? undefined : read.bundle;
  }

  async matches(selection: Selection): Promise<Page> {
    return (await this.matchesAsOf(selection)).answer;
  }

  async matchesAsOf(selection: Selection): Promise<AsOf<Page>> {
    const { bundle, matches, more, sequence } = await this.#linked.read((connection) =>
      findPage(connection, selection),
    );
    const first = matches[0];
    const last = matches.at(-1);
    const edges = first && last ? { first: keyOf(first), last: keyOf(last) } : undefined;
    return { answer: { ...bundle, edges, more }, sequence };
  }

  async players(ids: string[]): Promise<PlayerListing[]> {
    const rows = await this.session.rows<NamedRow>(
      `SELECT ${NAMED.players} FROM {players} WHERE id = ANY($1::text[])`,
      [ids],
    );
    const byId = new Map(rows.map((row) => [row.id, this.#linked.entry(row)]));
    return ids.flatMap((id) => byId.get(id) ?? []);
  }

  /** Reads at most `limit` players per name. */
  playersNamed(names: string[], limit: number): Promise<PlayerListing[]> {
    return this.#listed(
      `SELECT player.* FROM unnest($1::text[]) WITH ORDINALITY AS given (name, ordinal)
       CROSS JOIN LATERAL (SELECT ${NAMED.players} FROM {players} AS named
         WHERE named.name = given.name COLLATE "C" ORDER BY id LIMIT $2) AS player
       ORDER BY ordinal, player.id LIMIT $2`,
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

  /** Returns a row without an id if no player or team has these names. */
  async idsNamedAsOf(table: NamedTable, names: string[]): Promise<AsOf<string[]>> {
    const rows = await this.session.rows<{ id: string | null; seq: string }>(
      `SELECT found.id, state.seq FROM {state} AS state LEFT JOIN
         (SELECT ordinal, id FROM unnest($1::text[]) WITH ORDINALITY AS given (name, ordinal)
          JOIN {${table}} AS named ON named.name = given.name COLLATE "C") AS found ON true
       ORDER BY ordinal, id`,
      [names],
    );
    return { answer: rows.flatMap(({ id }) => id ?? []), sequence: Number(rows[0]!.seq) };
  }

  /** Format 1, which can still be served, has no name index. */
  async namesAround(keys: string[], before: number, after: number): Promise<string[]> {
    try {
      return await namesAround(this.session, keys, before, after);
    } catch (error) {
      if (!isTableMissing((error as Error).cause)) throw error;
      throw new MigrationNeeded(this.session.place.shown, 1, MIGRATIONS.length);
    }
  }

  playersWithNames(names: string[], limit: number): Promise<NamedPlayer[]> {
    return playersWithNames(this.session, names, limit);
  }

  summary(): Promise<Summary> {
    return readSummary(this.session).then(({ teams: _, ...summary }) => summary);
  }

  async sizes(): Promise<Sizes> {
    return { bytes: await readBytes(this.session) };
  }

  async vocabulary(): Promise<Vocabulary> {
    const [state] = await this.session.rows<{ token: string }>("SELECT token FROM {state}");
    const { token } = state!;
    if (this.#vocabulary?.token !== token) {
      const rows = await this.session.rows<{ word: string }>("SELECT word FROM {vocabulary}");
      this.#vocabulary = { token, words: readVocabulary(rows.map(({ word }) => word)) };
    }
    return this.#vocabulary.words;
  }

  close(): Promise<void> {
    return this.session.close();
  }

  async #listed(statement: string, values: unknown[]): Promise<PlayerListing[]> {
    const rows = await this.session.rows<NamedRow>(statement, values);
    return rows.map((row) => this.#linked.entry(row));
  }
}

async function findMatch(connection: Connection, id: string): Promise<FoundMatches> {
  const matches = await connection.rows<{ served: Uint8Array; token: string }>(
    "SELECT served, (SELECT token FROM {state}) AS token FROM {sheets} WHERE id = $1",
    [id],
  );
  return { token: matches[0]?.token ?? "", matches };
}

const keyOf = ({ created_at, id }: PageMatch) => ({ createdAt: Number(created_at), id });

/** One result is processed here while the server reads the next. */
const MAX_IN_PROGRESS = 2;
const MOST_TOGETHER = 32;

interface Asked {
  id: string;
  resolve(found: FoundMatches): void;
  reject(error: unknown): void;
}

interface SheetRow {
  id: string;
  served: Uint8Array;
  token: string;
}

/**
 * Looks up single matches. Lookups that arrive at the same time, or while others are in progress,
 * share one statement, which halves their cost under load.
 */
class MatchLookups {
  #waiting: Asked[] = [];
  #underWay = 0;
  #isDue = false;

  constructor(private readonly session: Session) {}

  match(id: string): Promise<FoundMatches> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ id, resolve, reject });
      if (this.#isDue || this.#underWay >= MAX_IN_PROGRESS) return;
      this.#isDue = true;
      // After all requests that have arrived by now.
      setImmediate(() => {
        this.#isDue = false;
        this.#send();
      });
    });
  }

  #send(): void {
    while (this.#waiting.length > 0 && this.#underWay < MAX_IN_PROGRESS) {
      const together = this.#waiting.splice(0, MOST_TOGETHER);
      this.#underWay += 1;
      this.#ask(together).finally(() => {
        this.#underWay -= 1;
        this.#send();
      });
    }
  }

  async #ask(together: Asked[]): Promise<void> {
    try {
      const rows = await this.session.rows<SheetRow>(
        "SELECT id, served, token FROM {state} JOIN {sheets} ON id = ANY($1::text[])",
        [together.map(({ id }) => id)],
      );
      for (const { id, resolve } of together) resolve(foundIn(rows, id));
    } catch (error) {
      // The others waited as long, for the same database.
      for (const { reject } of [...together, ...this.#waiting.splice(0)]) reject(error);
    }
  }
}

/** A linear search is fastest for so few rows. */
function foundIn(rows: readonly SheetRow[], id: string): FoundMatches {
  const row = rows.find((one) => one.id === id);
  return row ? { token: row.token, matches: [row] } : NOT_FOUND;
}

/** Without matches, any state is valid. */
const NOT_FOUND: FoundMatches = { token: "", matches: [] };
