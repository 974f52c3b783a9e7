/** In charge of the rows of matches inside a transaction: served ones with who was in them, withheld ones. */

import type { WithheldReason } from "../../domain/visibility.ts";
import { packServed } from "../packing.ts";
import { packResult, unpackResult } from "../results.ts";
import type {
  Fate,
  Fragment,
  HistoryEntry,
  KeptRecord,
  MatchEntry,
  WithheldEntry,
} from "../store.ts";
import type { Numbers } from "./numbers.ts";
import {
  fateOf,
  keptRecord,
  type RecordColumns,
  recordValues,
  SERVED_COLUMNS,
  SERVED_RECORDS,
  WITHHELD_COLUMNS,
  WITHHELD_RECORDS,
} from "./rows.ts";
import type { Statements } from "./statements.ts";
import type { Tallies } from "./tallies.ts";

const SERVED_RECORD = `${SERVED_RECORDS} WHERE id = ?`;
const WITHHELD_RECORD = `${WITHHELD_RECORDS} WHERE id = ?`;
const ADD_SERVED = `INSERT INTO matches (${SERVED_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?)`;
const ADD_WITHHELD = `INSERT INTO withheld (${WITHHELD_COLUMNS}, carried, reason)
                      VALUES (?, ?, ?, ?, ?, ?, ?, ?)`;

export class MatchRows {
  readonly #statements: Statements;
  readonly #numbers: { players: Numbers; teams: Numbers };
  readonly #tallies: Tallies;

  constructor(
    statements: Statements,
    numbers: { players: Numbers; teams: Numbers },
    tallies: Tallies,
  ) {
    this.#statements = statements;
    this.#numbers = numbers;
    this.#tallies = tallies;
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

  load(ids: string[]): KeptRecord[] {
    return ids.flatMap((id) => {
      const row =
        this.#statements.row<RecordColumns>(SERVED_RECORD, id) ??
        this.#statements.row<RecordColumns>(WITHHELD_RECORD, id);
      return row ? keptRecord(row) : [];
    });
  }

  carried(id: string): Fragment | undefined {
    return this.#statements.row<{ fragment: Fragment }>(
      "SELECT fragment FROM matches JOIN carried ON carried.match = matches.num WHERE id = ?",
      id,
    )?.fragment;
  }

  addServed(matches: MatchEntry[]): void {
    for (const match of matches) this.#addOne(match);
    this.#tallies.change("matches", matches.length);
  }

  removeServed(matches: MatchEntry[]): void {
    for (const match of matches) this.#removeOne(match);
  }

  addWithheld(matches: WithheldEntry[]): void {
    for (const match of matches) {
      const { sheet, carried, reason } = match;
      this.#statements.run(ADD_WITHHELD, ...recordValues(match), sheet, carried, reason);
    }
  }

  removeWithheld(ids: string[]): void {
    for (const id of ids) this.#statements.run("DELETE FROM withheld WHERE id = ?", id);
  }

  playerHistory(playerId: string, limit: number): HistoryEntry[] {
    // The limit is part of the text: as a parameter it would have the statement prepared each time.
    const rows = this.#statements
      .get(
        `SELECT created_at, match_id, result FROM player_matches
         WHERE player = (SELECT num FROM players WHERE id = ?)
         ORDER BY created_at DESC, match_id DESC LIMIT ${limit}`,
      )
      .values(playerId) as [number, string, number][];
    return rows.map(([createdAt, matchId, result]) => ({
      createdAt,
      matchId,
      result: unpackResult(result),
    }));
  }

  latestOfTeam(teamId: string): string | undefined {
    return this.#statements.row<{ match_id: string }>(
      `SELECT match_id FROM team_matches WHERE team = (SELECT num FROM teams WHERE id = ?)
       ORDER BY created_at DESC, match_id DESC LIMIT 1`,
      teamId,
    )?.match_id;
  }

  #addOne(match: MatchEntry): void {
    const { id, createdAt, sheet, carried } = match;
    const players = match.players.map((player) => this.#numbers.players.of(player.id));
    const teams = match.teams.map((team) => this.#numbers.teams.of(team.id));
    const served = packServed({ players, teams, sheet });
    const added = this.#statements.run(ADD_SERVED, ...recordValues(match), served);
    const num = Number(added.lastInsertRowid);
    this.#statements.run("INSERT INTO carried (match, fragment) VALUES (?, ?)", num, carried);
    match.players.forEach(({ result }, index) => {
      this.#statements.run(
        "INSERT INTO player_matches (player, created_at, match_id, match, result) VALUES (?, ?, ?, ?, ?)",
        players[index]!,
        createdAt,
        id,
        num,
        packResult(result),
      );
    });
    match.teams.forEach(({ plays }, index) => {
      this.#statements.run(
        "INSERT INTO team_matches (team, created_at, match_id, match, plays) VALUES (?, ?, ?, ?, ?)",
        teams[index]!,
        createdAt,
        id,
        num,
        plays ? 1 : 0,
      );
    });
  }

  #removeOne({ id, createdAt, players, teams }: MatchEntry): void {
    for (const player of players) {
      this.#statements.run(
        "DELETE FROM player_matches WHERE player = ? AND created_at = ? AND match_id = ?",
        this.#numbers.players.of(player.id),
        createdAt,
        id,
      );
    }
    for (const team of teams) {
      this.#statements.run(
        "DELETE FROM team_matches WHERE team = ? AND created_at = ? AND match_id = ?",
        this.#numbers.teams.of(team.id),
        createdAt,
        id,
      );
    }
    const numberOf = "(SELECT num FROM matches WHERE id = ?)";
    this.#statements.run(`DELETE FROM carried WHERE match = ${numberOf}`, id);
    const { changes } = this.#statements.run("DELETE FROM matches WHERE id = ?", id);
    this.#tallies.change("matches", -changes);
  }
}
