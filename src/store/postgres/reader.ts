/**
 * In charge of the read path over a shard in PostgreSQL. A match comes with one statement; its players
 * and teams come from memory, as long as the shard's state is the one they were read in.
 */

import { NamedCache } from "../cache.ts";
import type { NamedEntry } from "../slab.ts";
import type {
  Bundle,
  CheckFragment,
  NamedFragments,
  Page,
  PlayerListing,
  Reader,
  Selection,
  Summary,
  Vocabulary,
} from "../store.ts";
import { readVocabulary } from "../vocabulary.ts";
import type { NamedTable } from "./numbers.ts";
import { findPage, type MatchRow } from "./pages.ts";
import type { Connection, Session } from "./session.ts";
import { readSummary } from "./summary.ts";

/** Teams are few beside players. */
const TEAMS_SHARE = 1 / 8;

/** How often a read begins anew because somebody wrote meanwhile; then it gets a state of its own. */
const ATTEMPTS = 3;

interface NamedRow {
  num: number;
  id: string;
  name: string;
  resource: Uint8Array;
  companions: Uint8Array | null;
}

const NAMED = "num, id, name, resource, companions";

export class PostgresReader implements Reader {
  readonly #session: Session;
  readonly #cached: Record<NamedTable, NamedCache>;
  readonly #check: CheckFragment;
  /** The state that the cache is of. */
  #seq = -1;
  #vocabulary: { seq: number; words: Vocabulary } | undefined;

  constructor(session: Session, cacheBytes: number, check: CheckFragment) {
    this.#session = session;
    this.#check = check;
    this.#cached = {
      players: new NamedCache(cacheBytes * (1 - TEAMS_SHARE)),
      teams: new NamedCache(cacheBytes * TEAMS_SHARE),
    };
  }

  async match(id: string): Promise<Bundle | undefined> {
    const found = await this.#bundled(async (connection) => {
      const rows = await connection.rows<MatchRow & { seq: string }>(
        `SELECT (SELECT seq FROM {state}) AS seq, created_at, id, sheet, players, teams
         FROM {match_ids} JOIN {matches} USING (created_at, id) WHERE id = $1`,
        [id],
      );
      return { seq: Number(rows[0]?.seq ?? -1), matches: rows };
    });
    return found.matches.length === 0 ? undefined : found.bundle;
  }

  async matches(selection: Selection): Promise<Page> {
    const { bundle, matches, more } = await this.#bundled((connection) =>
      findPage(connection, selection),
    );
    const first = matches[0];
    const last = matches.at(-1);
    const edges = first && last ? { first: spotOf(first), last: spotOf(last) } : undefined;
    return { ...bundle, edges, more };
  }

  async players(ids: string[]): Promise<PlayerListing[]> {
    const rows = await this.#session.rows<NamedRow>(
      `SELECT ${NAMED} FROM {players} WHERE id = ANY($1::text[]) AND resource IS NOT NULL`,
      [ids],
    );
    const byId = new Map(rows.map((row) => [row.id, this.#entry(row)]));
    return ids.flatMap((id) => byId.get(id) ?? []);
  }

  playersNamed(name: string, limit: number): Promise<PlayerListing[]> {
    return this.#listed("WHERE name = $1 ORDER BY id LIMIT $2", [name, limit]);
  }

  recentPlayers(limit: number): Promise<PlayerListing[]> {
    return this.#listed("WHERE seen_at IS NOT NULL ORDER BY seen_at DESC, id LIMIT $1", [limit]);
  }

  playerIdsNamed(names: string[]): Promise<string[]> {
    return this.#idsNamed("players", names);
  }

  teamIdsNamed(names: string[]): Promise<string[]> {
    return this.#idsNamed("teams", names);
  }

  summary(): Promise<Summary> {
    return readSummary(this.#session).then(({ teams: _, ...summary }) => summary);
  }

  async vocabulary(): Promise<Vocabulary> {
    const [state] = await this.#session.rows<{ seq: string }>("SELECT seq FROM {state}");
    const seq = Number(state!.seq);
    if (this.#vocabulary?.seq !== seq) {
      const rows = await this.#session.rows<{ word: string }>("SELECT word FROM {vocabulary}");
      this.#vocabulary = { seq, words: readVocabulary(rows.map(({ word }) => word)) };
    }
    return this.#vocabulary.words;
  }

  close(): Promise<void> {
    return this.#session.close();
  }

  /** Reads matches, and everybody they name as of the same state. */
  async #bundled<Found extends { seq: number; matches: MatchRow[] }>(
    read: (connection: Connection) => Promise<Found>,
  ): Promise<Found & { bundle: Bundle }> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const found = await read(this.#session);
      if (found.matches.length === 0) return { ...found, bundle: EMPTY };
      await this.#catchUp(found.seq);
      const bundle = await this.#fromCache(found);
      if (bundle) return { ...found, bundle };
    }
    return this.#session.transaction("REPEATABLE READ READ ONLY", async (connection) => {
      const found = await read(connection);
      const { players, teams } = numbersIn(found.matches);
      const entries = {
        players: await this.#load(connection, "players", players),
        teams: await this.#load(connection, "teams", teams),
      };
      const bundle = bundleOf(found.matches, (table, num) => entries[table].get(num)!);
      return { ...found, bundle };
    });
  }

  /** Undefined when the shard's state is no longer that of the matches. */
  async #fromCache({ seq, matches }: { seq: number; matches: MatchRow[] }) {
    const numbers = numbersIn(matches);
    const loaded = { players: new Map<number, NamedEntry>(), teams: new Map<number, NamedEntry>() };
    for (const table of ["players", "teams"] as const) {
      const missing = numbers[table].filter((num) => !this.#cached[table].byNumber(num));
      if (missing.length === 0) continue;
      loaded[table] = await this.#load(this.#session, table, missing, seq);
    }
    // From here on nothing waits, so the cache is of one state.
    if (this.#seq !== seq) return undefined;
    for (const table of ["players", "teams"] as const) {
      for (const entry of loaded[table].values()) this.#cached[table].add(entry);
      if (numbers[table].some((num) => !this.#known(loaded, table, num))) return undefined;
    }
    return bundleOf(matches, (table, num) => this.#known(loaded, table, num)!);
  }

  #known(
    loaded: Record<NamedTable, Map<number, NamedEntry>>,
    table: NamedTable,
    num: number,
  ): NamedFragments | undefined {
    return loaded[table].get(num) ?? this.#cached[table].byNumber(num);
  }

  /** Those with these numbers; none at all when the shard is no longer in the state `seq`. */
  async #load(
    connection: Connection,
    table: NamedTable,
    nums: number[],
    seq?: number,
  ): Promise<Map<number, NamedEntry>> {
    const rows = await connection.rows<NamedRow>(
      `SELECT ${NAMED} FROM {${table}} WHERE num = ANY($1::integer[])
         AND ($2::bigint IS NULL OR (SELECT seq FROM {state}) = $2::bigint)`,
      [nums, seq ?? null],
    );
    return new Map(rows.map((row) => [row.num, this.#entry(row)]));
  }

  /** Forgets what changed up to a state; everything, if too many changes went by. */
  async #catchUp(seq: number): Promise<void> {
    if (seq <= this.#seq) return;
    const since = await this.#session.rows<{ seq: string; players: number[]; teams: number[] }>(
      "SELECT seq, players, teams FROM {changes} WHERE seq > $1::bigint ORDER BY seq",
      [this.#seq],
    );
    const isWhole = since.length > 0 && Number(since[0]!.seq) <= this.#seq + 1;
    for (const table of ["players", "teams"] as const) {
      if (!isWhole) this.#cached[table].clear();
      else
        for (const change of since)
          for (const num of change[table]) this.#cached[table].forget(num);
    }
    this.#seq = Math.max(this.#seq, Number(since.at(-1)?.seq ?? seq));
  }

  async #listed(rest: string, values: unknown[]): Promise<PlayerListing[]> {
    const rows = await this.#session.rows<NamedRow>(
      `SELECT ${NAMED} FROM {players} ${rest}`,
      values,
    );
    return rows.map((row) => this.#entry(row));
  }

  async #idsNamed(table: NamedTable, names: string[]): Promise<string[]> {
    const rows = await this.#session.rows<{ id: string }>(
      `SELECT id FROM unnest($1::text[]) WITH ORDINALITY AS given (name, place)
       JOIN {${table}} AS named ON named.name = given.name COLLATE "C" ORDER BY place, id`,
      [names],
    );
    return rows.map(({ id }) => id);
  }

  #entry(row: NamedRow): NamedEntry {
    this.#check(row.resource);
    if (row.companions) this.#check(row.companions);
    return { ...row, companions: row.companions ?? undefined, isChecked: true };
  }
}

const EMPTY: Bundle = { sheets: [], players: [], teams: [] };

/** Each once, in order of first appearance. */
function numbersIn(matches: readonly MatchRow[]): Record<NamedTable, number[]> {
  return {
    players: [...new Set(matches.flatMap(({ players }) => [...players]))],
    teams: [...new Set(matches.flatMap(({ teams }) => [...teams]))],
  };
}

function bundleOf(
  matches: readonly MatchRow[],
  named: (table: NamedTable, num: number) => NamedFragments,
): Bundle {
  const { players, teams } = numbersIn(matches);
  return {
    sheets: matches.map(({ sheet }) => sheet),
    players: players.map((num) => named("players", num)),
    teams: teams.map((num) => named("teams", num)),
  };
}

const spotOf = ({ created_at, id }: MatchRow) => ({ createdAt: Number(created_at), id });
