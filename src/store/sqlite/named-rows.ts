/** In charge of the rows of players and teams inside a transaction, and of noting which of them changed. */

import type { PlayerRow, Standing, TeamRow } from "../store.ts";
import type { ChangeLog } from "./change-log.ts";
import type { Numbers } from "./numbers.ts";
import type { Statements } from "./statements.ts";

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

export class NamedRows {
  readonly #statements: Statements;
  readonly #numbers: { players: Numbers; teams: Numbers };
  readonly #changed: ChangeLog;

  constructor(
    statements: Statements,
    numbers: { players: Numbers; teams: Numbers },
    changed: ChangeLog,
  ) {
    this.#statements = statements;
    this.#numbers = numbers;
    this.#changed = changed;
  }

  standings(playerIds: string[]): Map<string, Standing> {
    const found = new Map<string, Standing>();
    for (const id of playerIds) {
      const row = this.#statements.row<StandingColumns>(
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

  putPlayers(rows: PlayerRow[]): void {
    for (const { id, name, latest, run, totals, resource, companions } of rows) {
      this.#statements.run(
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
        this.#noted("players", id),
      );
    }
  }

  putTeams(rows: TeamRow[]): void {
    for (const { id, name, resource, companions } of rows) {
      this.#statements.run(
        "UPDATE teams SET name = ?, resource = ?, companions = ? WHERE num = ?",
        name,
        resource,
        companions ?? null,
        this.#noted("teams", id),
      );
    }
  }

  remove(table: "players" | "teams", ids: string[]): void {
    for (const id of ids) {
      this.#noted(table, id);
      this.#numbers[table].remove(id);
    }
  }

  /** The number, once the log of changes has it. */
  #noted(table: "players" | "teams", id: string): number {
    const num = this.#numbers[table].of(id);
    this.#changed[table].add(num);
    return num;
  }
}
