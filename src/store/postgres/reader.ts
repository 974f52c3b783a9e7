/** Reads served records from a shard in PostgreSQL. */

import { entryOf } from "../cache.ts";
import { readChanges } from "../core/change-feed.ts";
import { readVocabulary } from "../core/counters.ts";
import { numbered } from "../core/named.ts";
import { present } from "../core/shard.ts";
import { lineupOf } from "../lineup.ts";
import { MatchDocument } from "../match-document.ts";
import { withoutPruned } from "../page-range.ts";
import { verified, verifyLatestFirst, verifyNamesakes } from "../row-checks.ts";
import { run, type Steps } from "../steps.ts";
import type {
  ChangeBatch,
  Lineup,
  LogPosition,
  MatchesWithLinked,
  NamedTable,
  Page,
  PlayerListing,
  Reader,
  Selection,
  Sizes,
  Vocabulary,
} from "../store.ts";
import { selectList } from "../table.ts";
import { NAMED_TABLES, type NamedColumns, PLAYERS } from "../tables.ts";
import { postgresEngine } from "./engine.ts";
import { type FoundMatches, LinkedResources } from "./linked-resources.ts";
import { type FoundPage, findPage } from "./pages.ts";
import type { Connection, Session } from "./session.ts";
import { readBytes } from "./size.ts";

/** A result with the sequence number of the state it was read in. */
export interface AsOf<T> {
  answer: T;
  sequence: number;
}

export class PostgresReader implements Reader {
  readonly #linked: LinkedResources;
  readonly #lookups: MatchLookups;
  #vocabulary: { token: string; words: Vocabulary } | undefined;
  /** As of the last page. Matches that were created before it may not be removed yet. */
  #prunedBefore = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly session: Session,
    cacheBytes: number,
  ) {
    this.#linked = new LinkedResources(session, cacheBytes);
    this.#lookups = new MatchLookups(session);
  }

  async match(id: string): Promise<MatchesWithLinked | undefined> {
    const found = foundIn(await this.#lookups.match(id), id);
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
      this.#findPage(connection, selection),
    );
    const first = matches[0];
    const last = matches.at(-1);
    const edges = first && last ? { first: first.key, last: last.key } : undefined;
    return { answer: { ...bundle, edges, more }, sequence };
  }

  lineups(selection: Selection): Promise<{ lineups: Lineup[]; hasMore: boolean }> {
    return this.session.snapshot(async (connection) => {
      const { matches, more, verify } = await this.#findPage(connection, selection);
      const nums: Record<NamedTable, number[]> = { players: [], teams: [] };
      for (const match of matches) match.addNumbers(nums.players, nums.teams);
      // Only to verify that the matches belong to the selection.
      if (selection.teams.length === 0) nums.teams = [];
      const engine = postgresEngine(connection);
      const named = {
        players: await run(engine, numbered("players", nums.players)),
        teams: await run(engine, numbered("teams", nums.teams)),
      };
      verify?.((table, num, id) => named[table](num).id === id);
      return {
        lineups: matches.map((match) => lineupOf(match, named.players)),
        hasMore: more.after,
      };
    });
  }

  /** The page has the prune cutoff of its state: if that is another one, the page is read again. */
  async #findPage(connection: Connection, selection: Selection): Promise<FoundPage> {
    let cutoff = this.#prunedBefore;
    for (;;) {
      const found = await findPage(connection, withoutPruned(selection, cutoff));
      if (found.prunedBefore === cutoff) return found;
      cutoff = found.prunedBefore;
      this.#prunedBefore = cutoff;
    }
  }

  async players(ids: string[]): Promise<PlayerListing[]> {
    const keys = ids.map((id) => ({ id }));
    const rows = await postgresEngine(this.session).get(PLAYERS, keys);
    const byId = new Map(rows.map((row) => [row.id, entryOf(row)]));
    return ids.flatMap((id) => byId.get(id) ?? []);
  }

  async playersNamed(names: string[], limit: number, each = limit): Promise<PlayerListing[]> {
    return (await this.#namesakes("players", names, limit, each)).answer.map(entryOf);
  }

  async recentPlayers(limit: number): Promise<PlayerListing[]> {
    const rows = await postgresEngine(this.session).select(
      PLAYERS,
      "ORDER BY players.last_match_at DESC, players.id LIMIT $1",
      [limit],
    );
    const found = rows.map(entryOf);
    verifyLatestFirst(found);
    return found;
  }

  async idsNamed(table: NamedTable, names: string[]): Promise<string[]> {
    return (await this.idsNamedAsOf(table, names)).answer;
  }

  async lastCommit(): Promise<number> {
    const [row] = await this.session.rows<{ sequence: number }>(
      "SELECT sequence::float8 AS sequence FROM {shard} AS shard",
    );
    return present(row).sequence;
  }

  async idsNamedAsOf(table: NamedTable, names: string[]): Promise<AsOf<string[]>> {
    const { answer, sequence } = await this.#namesakes(table, names);
    return { answer: answer.map(({ id }) => id), sequence };
  }

  /**
   * The players or teams who have these names: at most `limit`, and `each` per name. The statement returns a row without an
   * id if there are none.
   */
  async #namesakes(
    table: NamedTable,
    names: string[],
    limit = Number.MAX_SAFE_INTEGER,
    each = limit,
  ): Promise<AsOf<NamedColumns[]>> {
    const rows = await this.session.rows<
      ((NamedColumns & { asked: string }) | { id: null }) & { sequence: string }
    >(
      `SELECT found.*, shard.sequence FROM {shard} AS shard LEFT JOIN
         (SELECT ordinal, given.name AS asked, named.*
          FROM unnest($1::text[]) WITH ORDINALITY AS given (name, ordinal) CROSS JOIN LATERAL
            (SELECT ${selectList(NAMED_TABLES[table], "listed")} FROM {${table}} AS listed
             WHERE listed.name = given.name COLLATE "C" ORDER BY id LIMIT $2::bigint) AS named
          ORDER BY ordinal, named.id LIMIT $3::bigint) AS found ON true
       ORDER BY ordinal, id`,
      [names, each, limit],
    );
    const answer = rows.filter((row) => row.id !== null);
    for (const row of answer) verified(NAMED_TABLES[table], row);
    for (const [name, found] of Map.groupBy(answer, ({ asked }) => asked))
      verifyNamesakes(table, found, name);
    return { answer, sequence: Number(present(rows[0]).sequence) };
  }

  read<T>(steps: () => Steps<T>): Promise<T> {
    return this.session.snapshot(async (connection) => run(postgresEngine(connection), steps()));
  }

  changes(after: LogPosition, limit: number): Promise<ChangeBatch | undefined> {
    return this.read(() => readChanges(after, limit));
  }

  async sizes(): Promise<Sizes> {
    return { bytes: await readBytes(this.session) };
  }

  async vocabulary(): Promise<Vocabulary> {
    const [state] = await this.session.rows<{ token: string }>("SELECT token FROM {shard}");
    const { token } = present(state);
    if (this.#vocabulary?.token !== token) {
      const words = await run(postgresEngine(this.session), readVocabulary());
      this.#vocabulary = { token, words };
    }
    return this.#vocabulary.words;
  }

  close(): Promise<void> {
    return this.session.close();
  }
}

/**
 * Without a join: PostgreSQL 15 would add the cost of the disabled scan of the shard for each document, and then prefer to
 * read all documents in several processes, because each of them finds fewer.
 */
const LOOKUP = `SELECT stored.id, stored.document, (SELECT token FROM {shard}) AS token,
    (SELECT pruned_before::float8 FROM {shard}) AS cutoff
  FROM {documents} AS stored WHERE stored.id =`;

async function findMatch(connection: Connection, id: string): Promise<FoundMatches> {
  const [row] = await connection.rows<FoundRow>(`${LOOKUP} $1`, [id]);
  return foundIn(row, id);
}

/** Throws DamagedData unless the row is that of the match. */
function foundIn(row: FoundRow | undefined, id: string): FoundMatches {
  if (!row) return NOT_FOUND;
  const token = present(row.token ?? undefined);
  const match = MatchDocument.read(id, row.document);
  const isServed = match.isServed && match.createdAt >= (row.cutoff ?? Number.NEGATIVE_INFINITY);
  return isServed ? { token, matches: [match] } : NOT_FOUND;
}

/** Without matches, any state is valid. */
const NOT_FOUND: FoundMatches = { token: "", matches: [] };

/** One result is processed here while the server reads the next. */
const MAX_IN_PROGRESS = 2;
const MOST_TOGETHER = 32;

interface Asked {
  id: string;
  resolve(row: FoundRow | undefined): void;
  reject(error: unknown): void;
}

interface FoundRow {
  id: string;
  document: Uint8Array;
  /** Of the state that was read, and its prune cutoff. Null if the row of the shard is missing. */
  token: string | null;
  cutoff: number | null;
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

  match(id: string): Promise<FoundRow | undefined> {
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
      const rows = await this.session.rows<FoundRow>(`${LOOKUP} ANY($1::text[])`, [
        together.map(({ id }) => id),
      ]);
      // A linear search is fastest for so few rows.
      for (const { id, resolve } of together) resolve(rows.find((row) => row.id === id));
    } catch (error) {
      // The others waited as long, for the same database.
      for (const { reject } of [...together, ...this.#waiting.splice(0)]) reject(error);
    }
  }
}
