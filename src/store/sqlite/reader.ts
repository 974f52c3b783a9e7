/** Reads served records from a shard's SQLite file. */

import type { Database } from "bun:sqlite";
import { entryOf, matchEntry, type NamedEntry, ReaderCache } from "../cache.ts";
import { readChanges } from "../core/change-feed.ts";
import { type CommitsSince, commitsSince } from "../core/change-log.ts";
import { readVocabulary } from "../core/counters.ts";
import { lineupOf } from "../lineup.ts";
import { MatchDocument } from "../match-document.ts";
import { withoutPruned } from "../page-range.ts";
import { isSelected, verified, verifyLatestFirst, verifyNamesakes } from "../row-checks.ts";
import { type Engine, run, type Steps } from "../steps.ts";
import {
  type ChangeBatch,
  DamagedData,
  type Lineup,
  type LocalState,
  type LogPosition,
  type MatchesWithLinked,
  type NamedParts,
  type NamedPlayer,
  type NamedTable,
  type Page,
  type PlayerListing,
  type Reader,
  type Selection,
  type Sizes,
  type Vocabulary,
} from "../store.ts";
import { storedColumns } from "../table.ts";
import { NAMED_TABLES, type NamedColumns, PLAYERS, TEAMS } from "../tables.ts";
import { readBytes } from "./compact.ts";
import { sqliteEngine } from "./engine.ts";
import { type IndexEntry, ScanStatements } from "./index-scan.ts";
import { compareKeys, findPage } from "./pages.ts";
import { Snapshot } from "./snapshot.ts";
import { asReadError } from "./sqlite-errors.ts";
import { Statements } from "./statements.ts";
import { Wal } from "./wal-size.ts";

const DOCUMENT = "SELECT document FROM documents WHERE id = ?";
const COLUMNS = { players: storedColumns(PLAYERS).join(), teams: storedColumns(TEAMS).join() };

export class SqliteReader implements Reader {
  readonly #statements: Statements;
  readonly #engine: Engine;
  readonly #wal: Wal;
  readonly #scans: ScanStatements;
  readonly #snapshot: Snapshot;
  readonly #cached: ReaderCache;
  #vocabulary: Vocabulary | undefined;
  /** A new object for each state. */
  #state = {};
  /** Matches that were created before it may not be removed yet. */
  #prunedBefore = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly database: Database,
    cacheBytes: number,
  ) {
    this.#statements = new Statements(database);
    this.#engine = sqliteEngine(this.#statements);
    this.#wal = new Wal(database);
    this.#scans = new ScanStatements(this.#statements);
    this.#snapshot = new Snapshot(database, () => this.#forgetChanges());
    this.#cached = new ReaderCache(cacheBytes);
  }

  readonly local: LocalState = {
    state: () => this.#read(() => this.#state),
    nextMatch: (time) =>
      this.#read(() => {
        const [first] = this.#statements
          .get("SELECT created_at FROM matches WHERE created_at >= ? ORDER BY created_at LIMIT 1")
          .values(time) as [number][];
        return first?.[0];
      }),
  };

  match(id: string): MatchesWithLinked | undefined {
    return this.#read(() => {
      const match = this.#document(id);
      const isServed = match?.isServed && match.createdAt >= this.#prunedBefore;
      return isServed ? this.#bundle([match]) : undefined;
    });
  }

  /** The match with this id, served or withheld. */
  #document(id: string): MatchDocument | undefined {
    const known = this.#cached.matches.byId(id);
    if (known) return new MatchDocument(id, known.resource);
    const row = this.#statements.get<{ document: Uint8Array }>(DOCUMENT).get(id);
    if (row === null) return undefined;
    const match = MatchDocument.read(id, row.document);
    if (match.isServed) this.#cached.matches.add(matchEntry(match));
    return match;
  }

  matches(asked: Selection): Page {
    return this.#read(() => {
      const { matches, more } = this.#select(asked);
      const [first, last] = [matches[0], matches.at(-1)];
      return {
        ...this.#bundle(matches),
        edges: first && last && { first: first.key, last: last.key },
        more,
      };
    });
  }

  lineups(asked: Selection): { lineups: Lineup[]; hasMore: boolean } {
    return this.#read(() => {
      const { matches, more } = this.#select(asked);
      const known = new Map<number, NamedPlayer>();
      const playerOf = (num: number) => {
        const player = known.get(num) ?? this.#playerNumbered(num);
        known.set(num, player);
        return player;
      };
      return { lineups: matches.map((match) => lineupOf(match, playerOf)), hasMore: more.after };
    });
  }

  /** The matches of a page, verified. */
  #select(asked: Selection): { matches: MatchDocument[]; more: Page["more"] } {
    const selection = withoutPruned(asked, this.#prunedBefore);
    const players = selection.players.map((ids) => this.#numbers("players", ids));
    const teams = selection.teams.map((ids) => this.#numbers("teams", ids));
    const found = findPage(this.#scans, selection, players, teams);
    const numbers = { players, teams };
    const isIn = (table: NamedTable, list: number, num: number) =>
      numbers[table][list]!.includes(num);
    const matches = found.entries.map((entry, index) => {
      const [createdAt, id] = entry;
      // A damaged entry may have a value of another type.
      const match = typeof id === "string" ? this.#document(id) : undefined;
      const before = found.entries[index - 1];
      const isRight =
        match?.isServed &&
        match.createdAt === createdAt &&
        (!before || comesBefore(before, entry, selection.sort)) &&
        isSelected(match, selection, isIn);
      if (!isRight) throw new DamagedData("matches", id);
      return match;
    });
    return { matches, more: found.more };
  }

  players(ids: string[]): PlayerListing[] {
    return this.#read(() => {
      const found = ids.map((id) => this.#withId("players", id));
      return found.filter((player) => player !== undefined);
    });
  }

  playersNamed(names: string[], limit: number, each = limit): PlayerListing[] {
    return this.#read(() => {
      const found: PlayerListing[] = [];
      for (const name of names) {
        if (found.length >= limit) break;
        found.push(...this.#namesakes("players", name, each));
      }
      return found.slice(0, limit);
    });
  }

  recentPlayers(limit: number): PlayerListing[] {
    return this.#read(() => {
      const found = this.#listed(
        "players",
        `SELECT id FROM players ORDER BY last_match_at DESC, id LIMIT ${limit}`,
      );
      verifyLatestFirst(found);
      return found;
    });
  }

  idsNamed(table: NamedTable, names: string[]): string[] {
    return this.#read(() =>
      names.flatMap((name) => this.#namesakes(table, name).map(({ id }) => id)),
    );
  }

  read<T>(steps: () => Steps<T>): T {
    return this.#run(steps());
  }

  sizes(): Sizes {
    return this.#read(() => ({
      bytes: readBytes(this.#statements),
      walBytes: this.#wal.bytes,
    }));
  }

  vocabulary(): Vocabulary {
    return this.#read(() => {
      this.#vocabulary ??= run(this.#engine, readVocabulary()) as Vocabulary;
      return this.#vocabulary;
    });
  }

  changes(after: LogPosition, limit: number): ChangeBatch | undefined {
    const read = () => this.#run(readChanges(after, limit));
    const found = read();
    if (found) return found;
    // The position may be from another process, which has read a later state than this snapshot has.
    this.#snapshot.leave();
    return read();
  }

  /** For a new request, which must see what was committed before it. */
  renew(): void {
    this.#snapshot.renew();
  }

  close(): void {
    this.#snapshot.close();
    this.#scans.finalize();
    this.#statements.close();
  }

  /** Reads in a snapshot. What SQLite cannot read is damage too. */
  #read<T>(read: () => T): T {
    try {
      this.#snapshot.enter();
      return read();
    } catch (error) {
      throw asReadError(error, this.database);
    }
  }

  /** In SQLite, every step is answered at once. */
  #run<T>(steps: Steps<T>): T {
    return this.#read(() => run(this.#engine, steps) as T);
  }

  #bundle(matches: readonly MatchDocument[]): MatchesWithLinked {
    const players: number[] = [];
    const teams: number[] = [];
    for (const match of matches) match.addNumbers(players, teams);
    return {
      matches: matches.map(({ encoded }) => encoded),
      players: players.map((num) => this.#withNumber("players", num)),
      teams: teams.map((num) => this.#withNumber("teams", num)),
    };
  }

  #playerNumbered(num: number): NamedPlayer {
    const found = this.#cached.players.entryOf(num) ?? this.#load("players", "num", num);
    if (!found) throw new DamagedData("players", `number ${num}`);
    return found;
  }

  #withNumber(table: NamedTable, num: number): NamedParts {
    const found = this.#cached[table].byNumber(num) ?? this.#load(table, "num", num);
    if (!found) throw new DamagedData(table, `number ${num}`);
    return found;
  }

  #withId(table: NamedTable, id: string): NamedEntry | undefined {
    return this.#cached[table].byId(id) ?? this.#load(table, "id", id);
  }

  #load(table: NamedTable, column: "num" | "id", key: string | number): NamedEntry | undefined {
    const row = this.#statements
      .get<NamedColumns>(`SELECT ${COLUMNS[table]} FROM ${table} WHERE ${column} = ?`)
      .get(key);
    if (row === null) return undefined;
    if (row[column] !== key) throw new DamagedData(table, key);
    verified(NAMED_TABLES[table], row);
    const entry = entryOf(row);
    this.#cached[table].add(entry);
    return entry;
  }

  #listed(table: NamedTable, sql: string, ...values: string[]): NamedEntry[] {
    const rows = this.#statements.get(sql).values(...values) as [string][];
    return rows.map(([id]) => this.#indexed(table, id));
  }

  #namesakes(table: NamedTable, name: string, limit?: number): readonly NamedEntry[] {
    // SQLite would prepare a statement again for each value bound to its LIMIT.
    const most = limit === undefined ? "" : ` LIMIT ${limit}`;
    const byName = `SELECT id FROM ${table} WHERE name = ? ORDER BY id${most}`;
    return verifyNamesakes(table, this.#listed(table, byName, name), name);
  }

  /** The row that an index leads to. A damaged entry may have a value of another type. */
  #indexed(table: NamedTable, id: string): NamedEntry {
    const found = typeof id === "string" ? this.#withId(table, id) : undefined;
    if (!found) throw new DamagedData(table, id);
    return found;
  }

  #numbers(table: NamedTable, ids: string[]): number[] {
    return ids.flatMap((id) => this.#withId(table, id)?.num ?? []);
  }

  /**
   * Reads the prune cutoff, and drops the players and teams that changed since the last read. Drops everything if the log of
   * changes no longer reaches back that far, or if the file was restored to an earlier state.
   */
  #forgetChanges(): void {
    this.#state = {};
    this.#vocabulary = undefined;
    const since = run(this.#engine, commitsSince(this.#cached.state)) as CommitsSince;
    this.#prunedBefore = since.now.pruned_before ?? Number.NEGATIVE_INFINITY;
    this.#cached.moveTo(since);
  }
}

function comesBefore(one: IndexEntry, next: IndexEntry, sort: Selection["sort"]): boolean {
  const order = compareKeys(one, next);
  return sort === "createdAt" ? order < 0 : order > 0;
}
