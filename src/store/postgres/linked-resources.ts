/**
 * Reads the players and teams of matches in the same state of the shard. One statement reads the
 * matches and the token of the state. Players and teams come from the cache as long as it is in
 * that state.
 */

import type { ByteRange } from "../byte-range.ts";
import { entryOf, type NamedEntry, ReaderCache, WITHOUT_MATCHES } from "../cache.ts";
import { commitsSince } from "../core/change-log.ts";
import type { MatchDocument } from "../match-document.ts";
import { run } from "../steps.ts";
import { DamagedData, type MatchesWithLinked, type NamedParts, type NamedTable } from "../store.ts";
import { NAMED_TABLES } from "../tables.ts";
import { postgresEngine } from "./engine.ts";
import type { Connection, Session } from "./session.ts";

/**
 * How often a read is retried after a concurrent write, before it uses a transaction of its own.
 */
const ATTEMPTS = 3;

const TABLES = ["players", "teams"] as const;

/** Stored matches, and the token of the state they were read in. */
export interface FoundMatches {
  token: string;
  matches: MatchDocument[];
  /** Throws DamagedData unless these matches belong to the selection. */
  verify?(hasId: HasId): void;
}

/** Whether the player or team with this number, in one of the matches, has this id. */
export type HasId = (table: NamedTable, num: number, id: string) => boolean;

interface Outline {
  encoded: ByteRange[];
  players: number[];
  teams: number[];
}

type Entries = Record<NamedTable, Map<number, NamedEntry>>;

export class LinkedResources {
  readonly #cached: ReaderCache;

  constructor(
    private readonly session: Session,
    cacheBytes: number,
  ) {
    this.#cached = new ReaderCache(cacheBytes, WITHOUT_MATCHES);
  }

  /** Uses only the cache. Undefined if something is missing or the cache is in another state. */
  remembered(found: FoundMatches): MatchesWithLinked | undefined {
    if (found.token !== this.#cached.state.token && found.matches.length > 0) return undefined;
    return this.#bundle(found, outlineOf(found.matches), NOTHING);
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
    return this.session.snapshot(async (connection) => {
      const found = await find(connection);
      const outline = outlineOf(found.matches);
      const entries: Entries = {
        players: await this.#load(connection, "players", outline.players),
        teams: await this.#load(connection, "teams", outline.teams),
      };
      const bundle = this.#bundle(found, outline, entries, true);
      if (!bundle) throw missing(outline, entries);
      return { ...found, bundle };
    });
  }

  /**
   * Loads what is missing in the cache. Undefined if the shard's state has changed since the
   * matches were read.
   */
  async #complete(found: FoundMatches): Promise<MatchesWithLinked | undefined> {
    const { token, matches } = found;
    if (token !== this.#cached.state.token) await this.#catchUp();
    const outline = outlineOf(matches);
    const entries: Entries = { players: new Map(), teams: new Map() };
    for (const table of TABLES) {
      const missing = outline[table].filter((num) => !this.#cached[table].byNumber(num));
      if (missing.length === 0) continue;
      entries[table] = await this.#load(this.session, table, missing, token);
    }
    // No await from here on, so the cache stays in one state.
    if (token !== this.#cached.state.token) return undefined;
    for (const table of TABLES) {
      for (const entry of entries[table].values()) this.#cached[table].add(entry);
    }
    return this.#bundle(found, outline, entries);
  }

  /** Takes from these entries, then from the cache unless `isAlone`. */
  #bundle(
    { verify }: FoundMatches,
    { encoded, players, teams }: Outline,
    entries: Entries,
    isAlone = false,
  ): MatchesWithLinked | undefined {
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
    if (!foundTeams) return undefined;
    verify?.((table, num, id) => {
      const entry = entries[table].get(num);
      return entry ? entry.id === id : this.#cached[table].hasId(num, id);
    });
    return { matches: encoded, players: foundPlayers, teams: foundTeams };
  }

  /** Empty if the shard is no longer in that state. */
  async #load(
    connection: Connection,
    table: NamedTable,
    nums: number[],
    token?: string,
  ): Promise<Map<number, NamedEntry>> {
    const isStill = token === undefined ? "" : " AND (SELECT token FROM {shard}) = $2";
    const rows = await postgresEngine(connection).select(
      NAMED_TABLES[table],
      `WHERE num = ANY($1::integer[])${isStill}`,
      token === undefined ? [nums] : [nums, token],
    );
    return new Map(rows.map((row) => [row.num, entryOf(row)]));
  }

  /**
   * Drops the entries that changed up to the current state. Drops everything if the log of changes
   * no longer contains the cache's state.
   */
  async #catchUp(): Promise<void> {
    const from = this.#cached.state;
    const since = await run(postgresEngine(this.session), commitsSince(from));
    // Another request may have done it.
    if (this.#cached.state === from) this.#cached.moveTo(since);
  }
}

const NOTHING: Entries = { players: new Map(), teams: new Map() };

/** Matches name a player or team that is not there. */
function missing(outline: Outline, entries: Entries): DamagedData {
  const table = TABLES.find((one) => outline[one].some((num) => !entries[one].has(num)))!;
  const num = outline[table].find((one) => !entries[table].has(one))!;
  return new DamagedData(table, `number ${num}`);
}

function outlineOf(matches: readonly MatchDocument[]): Outline {
  const players: number[] = [];
  const teams: number[] = [];
  for (const match of matches) match.addNumbers(players, teams);
  return { encoded: matches.map(({ encoded }) => encoded), players, teams };
}
