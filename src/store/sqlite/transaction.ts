/** In charge of the primitive reads and writes inside a transaction on a shard's SQLite file. */

import type { Database, SQLQueryBindings } from "bun:sqlite";
import { NO_TOTALS, type Totals } from "../../domain/player.ts";
import type { WithheldReason } from "../../domain/visibility.ts";
import type {
  Fate,
  HistoryEntry,
  MatchEntry,
  PlayerRow,
  StoredMatch,
  TeamRow,
  Transaction,
  WithheldEntry,
} from "../store.ts";
import { packNumbers, packResult, unpackResult } from "./packing.ts";
import {
  fateOf,
  RECORD,
  type RecordColumns,
  recordValues,
  SERVED_RECORD,
  storedMatch,
  WITHHELD_RECORD,
} from "./rows.ts";

export class SqliteTransaction implements Transaction {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  lockPlayers(): void {
    // The one writer of a file holds everything already.
  }

  known(ids: string[]): Map<string, { fate: Fate; contentHash: Uint8Array }> {
    const found = new Map<string, { fate: Fate; contentHash: Uint8Array }>();
    for (const id of ids) {
      const row =
        this.#get<{ hash: Uint8Array; reason: null }>(
          "SELECT content_hash AS hash, NULL AS reason FROM matches WHERE id = ?",
          id,
        ) ??
        this.#get<{ hash: Uint8Array; reason: WithheldReason }>(
          "SELECT content_hash AS hash, reason FROM withheld WHERE id = ?",
          id,
        );
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

  addServed(matches: MatchEntry[]): void {
    for (const match of matches) {
      const players = match.players.map((player) => this.#number("players", player.id));
      const teams = match.teams.map((team) => this.#number("teams", team.id));
      const num = this.#get<{ num: number }>(
        `INSERT INTO matches (${RECORD}, players, teams) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING num`,
        ...recordValues(match),
        packNumbers(players),
        packNumbers(teams),
      )!.num;
      this.#run("INSERT INTO carried (match, fragment) VALUES (?, ?)", num, match.carried);
      match.players.forEach((player, index) => {
        this.#run(
          "INSERT INTO player_matches (player, created_at, match_id, match, result) VALUES (?, ?, ?, ?, ?)",
          players[index]!,
          match.createdAt,
          match.id,
          num,
          packResult(player.result),
        );
      });
      match.teams.forEach((team, index) => {
        this.#run(
          "INSERT INTO team_matches (team, created_at, match_id, match, plays) VALUES (?, ?, ?, ?, ?)",
          teams[index]!,
          match.createdAt,
          match.id,
          num,
          team.plays ? 1 : 0,
        );
      });
    }
  }

  removeServed(matches: MatchEntry[]): void {
    for (const match of matches) {
      for (const player of match.players) {
        this.#run(
          "DELETE FROM player_matches WHERE player = ? AND created_at = ? AND match_id = ?",
          this.#number("players", player.id),
          match.createdAt,
          match.id,
        );
      }
      for (const team of match.teams) {
        this.#run(
          "DELETE FROM team_matches WHERE team = ? AND created_at = ? AND match_id = ?",
          this.#number("teams", team.id),
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
        `INSERT INTO withheld (${RECORD}, carried, reason) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
        ...recordValues(match),
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
      const rows = this.#database
        .query<{ match_id: string }, [string]>(
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

  totals(playerIds: string[]): Map<string, Totals> {
    const found = new Map<string, Totals>();
    for (const id of playerIds) {
      const row = this.#get<{ played: number; wins: number; playedRanked: number; gold: string }>(
        "SELECT played, wins, played_ranked AS playedRanked, gold FROM players WHERE id = ?",
        id,
      );
      found.set(id, row ? { ...row, gold: BigInt(row.gold) } : NO_TOTALS);
    }
    return found;
  }

  playerHistory(playerId: string, limit: number): HistoryEntry[] {
    const rows = this.#database
      .query(
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
    for (const row of rows) {
      this.#run(
        `UPDATE players SET name = ?, seen_at = ?, played = ?, wins = ?, played_ranked = ?, gold = ?,
           resource = ?, companions = ? WHERE id = ?`,
        row.name,
        row.seenAt,
        row.totals.played,
        row.totals.wins,
        row.totals.playedRanked,
        row.totals.gold.toString(),
        row.resource,
        row.companions ?? null,
        row.id,
      );
    }
  }

  removePlayers(ids: string[]): void {
    for (const id of ids) this.#run("DELETE FROM players WHERE id = ?", id);
  }

  putTeams(rows: TeamRow[]): void {
    for (const row of rows) {
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
    for (const id of ids) this.#run("DELETE FROM teams WHERE id = ?", id);
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

  /** The number of a player or team; newcomers get one, and are filled in before the commit. */
  #number(table: "players" | "teams", id: string): number {
    const known = this.#get<{ num: number }>(`SELECT num FROM ${table} WHERE id = ?`, id);
    return (
      known ?? this.#get<{ num: number }>(`INSERT INTO ${table} (id) VALUES (?) RETURNING num`, id)!
    ).num;
  }

  #get<Row>(sql: string, ...values: SQLQueryBindings[]): Row | null {
    return this.#database.query<Row, SQLQueryBindings[]>(sql).get(...values);
  }

  #run(sql: string, ...values: SQLQueryBindings[]): void {
    this.#database.query(sql).run(...values);
  }
}
