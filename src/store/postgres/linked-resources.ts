/**
 * Reads the players and teams of matches in the same state of the shard. One statement reads the
 * matches and the token of the state. Players and teams come from the cache as long as it is in
 * that state.
 */

import { NamedCache, type NamedEntry, type NamedRow, readEntry } from "../cache.ts";
import { unpackServed } from "../row-encoding.ts";
import type { CheckFragment, Fragment, MatchesWithLinked, NamedParts } from "../store.ts";
import type { NamedTable } from "./players.ts";
import type { Connection, Session } from "./session.ts";

/** There are far fewer teams than players. */
const TEAMS_SHARE = 1 / 8;

/**
 * How often a read is retried after a concurrent write, before it uses a transaction of its own.
 */
const ATTEMPTS = 3;

const TABLES = ["players", "teams"] as const;

/** Stored matches, and the token of the state they were read in. */
export interface FoundMatches {
  token: string;
  matches: { served: Uint8Array }[];
}

/** A cast, because bigint arrives as text. */
export const NAMED = {
  players: 'num, id, name, resource, companions, seen_at::float8 AS "lastMatchAt"',
  teams: 'num, id, name, resource, companions, NULL::float8 AS "lastMatchAt"',
};

interface Outline {
  encoded: Fragment[];
  players: number[];
  teams: number[];
}

type Entries = Record<NamedTable, Map<number, NamedEntry>>;

export class LinkedResources {
  readonly #cached: Record<NamedTable, NamedCache>;
  /** The state of the cache. */
  #state = { seq: -1, token: "none" };

  constructor(
    private readonly session: Session,
    cacheBytes: number,
    private readonly check: CheckFragment,
  ) {
    this.#cached = {
      players: new NamedCache(cacheBytes * (1 - TEAMS_SHARE)),
      teams: new NamedCache(cacheBytes * TEAMS_SHARE),
    };
  }

  /** Uses only the cache. Undefined if something is missing or the cache is in another state. */
  remembered({ token, matches }: FoundMatches): MatchesWithLinked | undefined {
    if (token !== this.#state.token && matches.length > 0) return undefined;
    return this.#bundle(outlineOf(matches), NOTHING);
  }

  /** Reads matches (or takes those already read) and their players and teams in the same state. */
  async read<F extends FoundMatches>(
    find: (connection: Connection) => Promise<F>,
    first?: F,
  ): Promise<F & { bundle: MatchesWithLinked }> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const found = (attempt === 0 && first) || (await find(this.session));
      const bundle = this.remembered(found) ?? (await this.#complete(found));
      if (bundle) return { ...found, bundle };
    }
    return this.session.transaction("REPEATABLE READ READ ONLY", async (connection) => {
      const found = await find(connection);
      const outline = outlineOf(found.matches);
      const entries: Entries = {
        players: await this.#load(connection, "players", outline.players),
        teams: await this.#load(connection, "teams", outline.teams),
      };
      return { ...found, bundle: this.#bundle(outline, entries, true)! };
    });
  }

  entry(row: NamedRow): NamedEntry {
    return readEntry(row, this.check);
  }

  /**
   * Loads what is missing in the cache. Undefined if the shard's state has changed since the
   * matches were read.
   */
  async #complete({ token, matches }: FoundMatches): Promise<MatchesWithLinked | undefined> {
    if (token !== this.#state.token) await this.#catchUp();
    const outline = outlineOf(matches);
    const entries: Entries = { players: new Map(), teams: new Map() };
    for (const table of TABLES) {
      const missing = outline[table].filter((num) => !this.#cached[table].byNumber(num));
      if (missing.length === 0) continue;
      entries[table] = await this.#load(this.session, table, missing, token);
    }
    // No await from here on, so the cache stays in one state.
    if (token !== this.#state.token) return undefined;
    for (const table of TABLES) {
      for (const entry of entries[table].values()) this.#cached[table].add(entry);
    }
    return this.#bundle(outline, entries);
  }

  /** Takes from these entries, then from the cache unless `isAlone`. */
  #bundle({ encoded, players, teams }: Outline, entries: Entries, isAlone = false) {
    const named = (table: NamedTable, numbers: number[]): NamedParts[] | undefined => {
      const found: NamedParts[] = [];
      for (const num of numbers) {
        const one =
          entries[table].get(num) ?? (isAlone ? undefined : this.#cached[table].byNumber(num));
        if (!one) return undefined;
        found.push(one);
      }
      return found;
    };
    const foundPlayers = named("players", players);
    const foundTeams = foundPlayers && named("teams", teams);
    return foundTeams && { matches: encoded, players: foundPlayers, teams: foundTeams };
  }

  /** Empty if the shard is no longer in that state. */
  async #load(
    connection: Connection,
    table: NamedTable,
    nums: number[],
    token?: string,
  ): Promise<Map<number, NamedEntry>> {
    const isStill = token === undefined ? "" : " AND (SELECT token FROM {state}) = $2";
    const rows = await connection.rows<NamedRow>(
      `SELECT ${NAMED[table]} FROM {${table}} WHERE num = ANY($1::integer[])${isStill}`,
      token === undefined ? [nums] : [nums, token],
    );
    return new Map(rows.map((row) => [row.num, this.entry(row)]));
  }

  /**
   * Drops the entries that changed up to the current state. Drops everything if the log of changes
   * no longer contains the cache's state.
   */
  async #catchUp(): Promise<void> {
    const from = this.#state;
    const changes = await this.session.rows<{
      seq: string;
      token: string;
      players: number[];
      teams: number[];
    }>(
      `SELECT seq, token, players, teams FROM {changes}
       WHERE seq >= least($1::bigint, (SELECT seq FROM {state})) ORDER BY seq`,
      [from.seq],
    );
    // Another request may have done it.
    if (this.#state !== from) return;
    const [own, ...since] = changes;
    const isWhole = own?.token === from.token;
    for (const table of TABLES) {
      if (isWhole) for (const change of since) this.#forget(table, change[table]);
      else this.#cached[table].clear();
    }
    const last = changes.at(-1);
    this.#state = last ? { seq: Number(last.seq), token: last.token } : UNCHANGED;
  }

  #forget(table: NamedTable, nums: number[]): void {
    for (const num of nums) this.#cached[table].forget(num);
  }
}

/** The state of a shard without any writes. */
const UNCHANGED = { seq: 0, token: "" };

const NOTHING: Entries = { players: new Map(), teams: new Map() };

function outlineOf(matches: readonly { served: Uint8Array }[]): Outline {
  const players: number[] = [];
  const teams: number[] = [];
  const encoded = matches.map(({ served }) => unpackServed(served, players, teams));
  return { encoded, players, teams };
}
