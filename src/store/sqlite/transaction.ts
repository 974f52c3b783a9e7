/** In charge of the primitive reads and writes inside a transaction on a shard's SQLite file. */

import type { Database, SQLQueryBindings } from "bun:sqlite";
import type { WithheldReason } from "../../domain/visibility.ts";
import type {
  Fate,
  Fragment,
  HistoryEntry,
  MatchEntry,
  PlayerRow,
  Standing,
  StoredMatch,
  TeamRow,
  Transaction,
  WithheldEntry,
} from "../store.ts";
import { Numbers } from "./numbers.ts";
import { packNumbers, packResult, packServed, unpackResult } from "./packing.ts";
import {
  fateOf,
  type RecordColumns,
  recordValues,
  SERVED_COLUMNS,
  SERVED_RECORD,
  storedMatch,
  WITHHELD_COLUMNS,
  WITHHELD_RECORD,
} from "./rows.ts";
import { Statements } from "./statements.ts";

/** How many transactions a reader may miss and still know what changed meanwhile. */
const KEPT_CHANGES = 256;

interface StandingColumns {
  played: number;
  wins: number;
  playedRanked: number;
  gold: string;
  run: number;
  /** Null of newcomers, which have a number before they have anything else. */
  seenAt: number | null;
  seenIn: string | null;
}

export class SqliteTransaction implements Transaction {
  readonly #players: Numbers;
  readonly #teams: Numbers;
  readonly #statements: Statements;
  readonly #changed = { players: new Set<number>(), teams: new Set<number>() };

  constructor(database: Database) {
    this.#players = new Numbers(database, "players");
    this.#teams = new Numbers(database, "teams");
    this.#statements = new Statements(database);
  }

  /** To be called before the commit: says in the file whom readers have to look up again. */
  noteChanges(): void {
    const { players, teams } = this.#changed;
    if (players.size + teams.size === 0) return;
    const seq = this.#run(
      "INSERT INTO changes (players, teams) VALUES (?, ?)",
      packNumbers([...players]),
      packNumbers([...teams]),
    );
    this.#run("DELETE FROM changes WHERE seq <= ?", seq - KEPT_CHANGES);
    this.#forgetChanged();
  }

  /** To be called when others may have written since, or when what was written here is undone. */
  forgetAll(): void {
    this.#players.forgetAll();
    this.#teams.forgetAll();
    this.#forgetChanged();
  }

  lockPlayers(): void {
    // The one writer of a file holds everything already.
  }

  known(ids: string[]): Map<string, { fate: Fate; contentHash: Uint8Array }> {
    const found = new Map<string, { fate: Fate; contentHash: Uint8Array }>();
    const served = this.#statements.get<{ hash: Uint8Array; reason: null }>(
      "SELECT content_hash AS hash, NULL AS reason FROM matches WHERE id = ?",
    );
    const withheld = this.#statements.get<{ hash: Uint8Array; reason: WithheldReason }>(
      "SELECT content_hash AS hash, reason FROM withheld WHERE id = ?",
    );
    for (const id of ids) {
      const row = served.get(id) ?? withheld.get(id);
      if (row) found.set(id, { fate: fateOf(row.reason), contentHash: row.hash });
    }
    return found;
  }

  load(ids: string[]): { fate: Fate; match: StoredMatch }[] {
    return ids.flatMap((id) => {
      const row =
        this.#get<RecordColumns>(SERVED_RECORD, id) ??
        this.#get<RecordColumns>(WITHHELD_RECORD, id);
      return row ? { fate: fateOf(row.reason), match: storedMatch(row) } : [];
    });
  }

  carried(id: string): Fragment | undefined {
    return this.#get<{ fragment: Fragment }>(
      "SELECT fragment FROM matches JOIN carried ON carried.match = matches.num WHERE id = ?",
      id,
    )?.fragment;
  }

  addServed(matches: MatchEntry[]): void {
    const addMatch = `INSERT INTO matches (${SERVED_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?)`;
    const addPlayerMatch = this.#statements.get(
      "INSERT INTO player_matches (player, created_at, match_id, match, result) VALUES (?, ?, ?, ?, ?)",
    );
    for (const match of matches) {
      const players = match.players.map(({ id }) => this.#players.of(id));
      const teams = match.teams.map(({ id }) => this.#teams.of(id));
      const served = packServed({ players, teams, sheet: match.sheet });
      const num = this.#run(addMatch, ...recordValues(match), served);
      this.#run("INSERT INTO carried (match, fragment) VALUES (?, ?)", num, match.carried);
      match.players.forEach(({ result }, index) => {
        addPlayerMatch.run(players[index]!, match.createdAt, match.id, num, packResult(result));
      });
      match.teams.forEach(({ plays }, index) => {
        this.#run(
          "INSERT INTO team_matches (team, created_at, match_id, match, plays) VALUES (?, ?, ?, ?, ?)",
          teams[index]!,
          match.createdAt,
          match.id,
          num,
          plays ? 1 : 0,
        );
      });
    }
  }

  removeServed(matches: MatchEntry[]): void {
    for (const match of matches) {
      for (const player of match.players) {
        this.#run(
          "DELETE FROM player_matches WHERE player = ? AND created_at = ? AND match_id = ?",
          this.#players.of(player.id),
          match.createdAt,
          match.id,
        );
      }
      for (const team of match.teams) {
        this.#run(
          "DELETE FROM team_matches WHERE team = ? AND created_at = ? AND match_id = ?",
          this.#teams.of(team.id),
          match.createdAt,
          match.id,
        );
      }
      this.#run(
        "DELETE FROM carried WHERE match = (SELECT num FROM matches WHERE id = ?)",
        match.id,
      );
      this.#run("DELETE FROM matches WHERE id = ?", match.id);
    }
  }

  addWithheld(matches: WithheldEntry[]): void {
    for (const match of matches) {
      this.#run(
        `INSERT INTO withheld (${WITHHELD_COLUMNS}, carried, reason) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
        ...recordValues(match),
        match.sheet,
        match.carried,
        match.reason,
      );
    }
  }

  removeWithheld(ids: string[]): void {
    for (const id of ids) this.#run("DELETE FROM withheld WHERE id = ?", id);
  }

  rankedEvidence(playerIds: string[]): Map<string, number> {
    const evidence = new Map<string, number>();
    for (const id of playerIds) {
      const row = this.#get<{ records: number }>(
        "SELECT records FROM ranked_evidence WHERE player_id = ?",
        id,
      );
      if (row) evidence.set(id, row.records);
    }
    return evidence;
  }

  changeRankedEvidence(changes: ReadonlyMap<string, number>): void {
    this.#count("ranked_evidence", "player_id", changes);
  }

  dependents(playerIds: string[]): string[] {
    const found = new Set<string>();
    for (const id of playerIds) {
      const rows = this.#statements
        .get<{ match_id: string }>(
          "SELECT match_id FROM dependents WHERE player_id = ? ORDER BY match_id",
        )
        .all(id);
      for (const row of rows) found.add(row.match_id);
    }
    return [...found];
  }

  addDependents(pairs: [string, string][]): void {
    for (const pair of pairs) {
      this.#run("INSERT INTO dependents (player_id, match_id) VALUES (?, ?)", ...pair);
    }
  }

  removeDependents(pairs: [string, string][]): void {
    for (const pair of pairs) {
      this.#run("DELETE FROM dependents WHERE player_id = ? AND match_id = ?", ...pair);
    }
  }

  standings(playerIds: string[]): Map<string, Standing> {
    const found = new Map<string, Standing>();
    for (const id of playerIds) {
      const row = this.#get<StandingColumns>(
        `SELECT played, wins, played_ranked AS playedRanked, gold, run, seen_at AS seenAt,
           seen_in AS seenIn FROM players WHERE id = ?`,
        id,
      );
      if (!row || row.seenAt === null) continue;
      const { played, wins, playedRanked, gold, run, seenAt, seenIn } = row;
      found.set(id, {
        totals: { played, wins, playedRanked, gold: BigInt(gold) },
        run,
        latest: { createdAt: seenAt, matchId: seenIn! },
      });
    }
    return found;
  }

  playerHistory(playerId: string, limit: number): HistoryEntry[] {
    const rows = this.#statements
      .get(
        `SELECT created_at, match_id, result FROM player_matches
         WHERE player = (SELECT num FROM players WHERE id = ?)
         ORDER BY created_at DESC, match_id DESC LIMIT ?`,
      )
      .values(playerId, limit) as [number, string, number][];
    return rows.map(([createdAt, matchId, result]) => ({
      createdAt,
      matchId,
      result: unpackResult(result),
    }));
  }

  latestOfTeam(teamId: string): string | undefined {
    return this.#get<{ match_id: string }>(
      `SELECT match_id FROM team_matches WHERE team = (SELECT num FROM teams WHERE id = ?)
       ORDER BY created_at DESC, match_id DESC LIMIT 1`,
      teamId,
    )?.match_id;
  }

  putPlayers(rows: PlayerRow[]): void {
    for (const { id, name, latest, run, totals, resource, companions } of rows) {
      const num = this.#players.of(id);
      this.#changed.players.add(num);
      this.#run(
        `UPDATE players SET name = ?, seen_at = ?, seen_in = ?, run = ?, played = ?, wins = ?,
           played_ranked = ?, gold = ?, resource = ?, companions = ? WHERE num = ?`,
        name,
        latest.createdAt,
        latest.matchId,
        run,
        totals.played,
        totals.wins,
        totals.playedRanked,
        totals.gold.toString(),
        resource,
        companions ?? null,
        num,
      );
    }
  }

  removePlayers(ids: string[]): void {
    for (const id of ids) {
      this.#changed.players.add(this.#players.of(id));
      this.#run("DELETE FROM players WHERE id = ?", id);
      this.#players.forget(id);
    }
  }

  putTeams(rows: TeamRow[]): void {
    for (const row of rows) {
      this.#changed.teams.add(this.#teams.of(row.id));
      this.#run(
        "UPDATE teams SET name = ?, resource = ?, companions = ? WHERE id = ?",
        row.name,
        row.resource,
        row.companions ?? null,
        row.id,
      );
    }
  }

  removeTeams(ids: string[]): void {
    for (const id of ids) {
      this.#changed.teams.add(this.#teams.of(id));
      this.#run("DELETE FROM teams WHERE id = ?", id);
      this.#teams.forget(id);
    }
  }

  changeVocabulary(changes: ReadonlyMap<string, number>): void {
    this.#count("vocabulary", "word", changes);
  }

  /** Adds to the counters of a table; a counter that reaches zero goes away. */
  #count(table: string, key: string, changes: ReadonlyMap<string, number>): void {
    for (const [name, change] of changes) {
      this.#run(
        `INSERT INTO ${table} (${key}, records) VALUES (?, ?)
         ON CONFLICT (${key}) DO UPDATE SET records = records + excluded.records`,
        name,
        change,
      );
      if (change < 0) this.#run(`DELETE FROM ${table} WHERE ${key} = ? AND records <= 0`, name);
    }
  }

  #forgetChanged(): void {
    this.#changed.players.clear();
    this.#changed.teams.clear();
  }

  #get<Row>(sql: string, ...values: SQLQueryBindings[]): Row | null {
    return this.#statements.get<Row>(sql).get(...values);
  }

  /** Says the number of the row that was added, if one was. */
  #run(sql: string, ...values: SQLQueryBindings[]): number {
    return Number(this.#statements.get(sql).run(...values).lastInsertRowid);
  }
}
