/** Reads served records from a shard's SQLite file. */

import type { Database } from "bun:sqlite";
import { NamedCache, type NamedEntry, type NamedRow, readEntry } from "../cache.ts";
import { readVocabulary, unpackNumbers, unpackServed } from "../row-encoding.ts";
import type {
  CheckFragment,
  Fragment,
  MatchesWithLinked,
  MatchKey,
  NamedParts,
  NamedPlayer,
  Page,
  PlayerListing,
  Reader,
  Selection,
  Sizes,
  Summary,
  Vocabulary,
} from "../store.ts";
import { readBytes, readSummary } from "./counters.ts";
import { ScanStatements } from "./index-scan.ts";
import { namesAround, playersWithNames } from "./name-index.ts";
import { findPage } from "./pages.ts";
import type { NamedTable } from "./players.ts";
import { Snapshot } from "./snapshot.ts";
import { Statements } from "./statements.ts";
import { Wal } from "./wal.ts";

const NAMED = {
  players: "SELECT num, id, name, resource, companions, seen_at AS lastMatchAt FROM players",
  teams: "SELECT num, id, name, resource, companions, NULL AS lastMatchAt FROM teams",
};

/** There are far fewer teams than players. */
const TEAMS_SHARE = 1 / 8;

export class SqliteReader implements Reader {
  readonly #statements: Statements;
  readonly #wal: Wal;
  readonly #scans: ScanStatements;
  readonly #snapshot: Snapshot;
  readonly #cached: Record<NamedTable, NamedCache>;
  #vocabulary: Vocabulary | undefined;
  #lastChange = -1;

  constructor(
    private readonly database: Database,
    cacheBytes: number,
    private readonly check: CheckFragment,
  ) {
    this.#statements = new Statements(database);
    this.#wal = new Wal(database);
    this.#scans = new ScanStatements(this.#statements);
    this.#snapshot = new Snapshot(database, () => this.#forgetChanges());
    this.#cached = {
      players: new NamedCache(cacheBytes * (1 - TEAMS_SHARE)),
      teams: new NamedCache(cacheBytes * TEAMS_SHARE),
    };
  }

  match(id: string): MatchesWithLinked | undefined {
    this.#snapshot.enter();
    const row = this.#statements
      .get<{ served: Uint8Array }>("SELECT served FROM matches WHERE id = ?")
      .get(id);
    return row === null ? undefined : this.#bundle([row.served]);
  }

  matches(selection: Selection): Page {
    this.#snapshot.enter();
    const players = selection.players.map((ids) => this.#numbers("players", ids));
    const teams = selection.teams.map((ids) => this.#numbers("teams", ids));
    const { numbers, more } = findPage(this.#scans, selection, players, teams);
    const byNumber = this.#statements.get<{ served: Uint8Array }>(
      "SELECT served FROM matches WHERE num = ?",
    );
    return {
      ...this.#bundle(numbers.map((num) => byNumber.get(num)!.served)),
      edges:
        numbers.length === 0
          ? undefined
          : { first: this.#key(numbers[0]!), last: this.#key(numbers.at(-1)!) },
      more,
    };
  }

  players(ids: string[]): PlayerListing[] {
    this.#snapshot.enter();
    return ids.flatMap((id) => this.#withId("players", id) ?? []);
  }

  playersNamed(names: string[], limit: number): PlayerListing[] {
    this.#snapshot.enter();
    // SQLite would prepare a statement again for each value bound to its LIMIT.
    const byName = `SELECT id FROM players WHERE name = ? ORDER BY id LIMIT ${limit}`;
    const found: PlayerListing[] = [];
    for (const name of names) {
      if (found.length >= limit) break;
      found.push(...this.#listed(byName, name));
    }
    return found.slice(0, limit);
  }

  recentPlayers(limit: number): PlayerListing[] {
    this.#snapshot.enter();
    return this.#listed(`SELECT id FROM players ORDER BY seen_at DESC, id LIMIT ${limit}`);
  }

  playerIdsNamed(names: string[]): string[] {
    return this.#idsNamed("players", names);
  }

  teamIdsNamed(names: string[]): string[] {
    return this.#idsNamed("teams", names);
  }

  namesAround(keys: string[], before: number, after: number): string[] {
    this.#snapshot.enter();
    return namesAround(this.#statements, keys, before, after);
  }

  playersWithNames(names: string[], limit: number): NamedPlayer[] {
    this.#snapshot.enter();
    return playersWithNames(this.#statements, names, limit);
  }

  summary(): Summary {
    this.#snapshot.enter();
    const { teams: _, ...summary } = readSummary(this.#statements);
    return summary;
  }

  sizes(): Sizes {
    this.#snapshot.enter();
    return { bytes: readBytes(this.#statements), walBytes: this.#wal.bytes };
  }

  vocabulary(): Vocabulary {
    this.#snapshot.enter();
    this.#vocabulary ??= this.#readVocabulary();
    return this.#vocabulary;
  }

  close(): void {
    this.#snapshot.leave();
    this.database.close();
  }

  #bundle(rows: Uint8Array[]): MatchesWithLinked {
    const players: number[] = [];
    const teams: number[] = [];
    const matches: Fragment[] = [];
    for (const served of rows) matches.push(unpackServed(served, players, teams));
    return {
      matches,
      players: players.map((num) => this.#withNumber("players", num)),
      teams: teams.map((num) => this.#withNumber("teams", num)),
    };
  }

  #key(num: number): MatchKey {
    return this.#statements
      .get<MatchKey>("SELECT created_at AS createdAt, id FROM matches WHERE num = ?")
      .get(num)!;
  }

  #withNumber(table: NamedTable, num: number): NamedParts {
    return this.#cached[table].byNumber(num) ?? this.#load(table, "num", num)!;
  }

  #withId(table: NamedTable, id: string): NamedEntry | undefined {
    return this.#cached[table].byId(id) ?? this.#load(table, "id", id);
  }

  #load(table: NamedTable, column: "num" | "id", key: string | number): NamedEntry | undefined {
    const row = this.#statements.get<NamedRow>(`${NAMED[table]} WHERE ${column} = ?`).get(key);
    if (row === null) return undefined;
    const entry = readEntry(row, this.check);
    this.#cached[table].add(entry);
    return entry;
  }

  #listed(sql: string, ...values: (string | number)[]): PlayerListing[] {
    const rows = this.#statements.get(sql).values(...values) as [string][];
    return rows.flatMap(([id]) => this.#withId("players", id) ?? []);
  }

  #numbers(table: NamedTable, ids: string[]): number[] {
    return ids.flatMap((id) => this.#withId(table, id)?.num ?? []);
  }

  #idsNamed(table: NamedTable, names: string[]): string[] {
    this.#snapshot.enter();
    const byName = this.#statements.get(`SELECT id FROM ${table} WHERE name = ? ORDER BY id`);
    return names.flatMap((name) => byName.values(name).map((row) => row[0] as string));
  }

  #readVocabulary(): Vocabulary {
    const rows = this.#statements.get("SELECT word FROM vocabulary").values();
    return readVocabulary(rows.map((row) => row[0] as string));
  }

  /**
   * Drops the players and teams that changed since the last read. Drops everything if the log of
   * changes no longer reaches back that far, or if the file was restored to an earlier state.
   */
  #forgetChanges(): void {
    this.#vocabulary = undefined;
    const since = this.#statements
      .get("SELECT seq, players, teams FROM changes WHERE seq >= ? ORDER BY seq")
      .values(this.#lastChange) as [number, Uint8Array, Uint8Array][];
    const isWhole = since[0]?.[0] === this.#lastChange;
    for (const table of ["players", "teams"] as const) {
      if (!isWhole) this.#cached[table].clear();
    }
    this.#lastChange = since.at(-1)?.[0] ?? -1;
    if (!isWhole) return;
    for (const [, players, teams] of since) {
      for (const num of unpackNumbers(players)) this.#cached.players.forget(num);
      for (const num of unpackNumbers(teams)) this.#cached.teams.forget(num);
    }
  }
}
