/** In charge of the rows of players and teams inside a transaction, and of noting which of them changed. */

import type { PlayerRow, Standing, TeamRow } from "../store.ts";
import type { ChangeLog } from "./change-log.ts";
import type { NameIndex } from "./name-index.ts";
import type { Numbers } from "./numbers.ts";
import type { Statements } from "./statements.ts";

interface StandingColumns {
  played: number;
  wins: number;
  playedRanked: number;
  gold: string;
  run: number;
  name: string | null;
  /** Null of newcomers, which have a number before they have anything else. */
  seenAt: number | null;
  seenIn: string | null;
}

export class NamedRows {
  readonly #statements: Statements;
  readonly #numbers: { players: Numbers; teams: Numbers };
  readonly #changed: ChangeLog;
  readonly #nameIndex: NameIndex;
  /** The names of players whose standings were asked for: who puts them need not look again. */
  readonly #names = new Map<string, string>();

  constructor(
    statements: Statements,
    numbers: { players: Numbers; teams: Numbers },
    changed: ChangeLog,
    nameIndex: NameIndex,
  ) {
    this.#statements = statements;
    this.#numbers = numbers;
    this.#changed = changed;
    this.#nameIndex = nameIndex;
  }

  /** At the end of a transaction: others may write before the next. */
  forget(): void {
    this.#names.clear();
  }

  standings(playerIds: string[]): Map<string, Standing> {
    const found = new Map<string, Standing>();
    for (const id of playerIds) {
      const row = this.#statements.row<StandingColumns>(
        `SELECT played, wins, played_ranked AS playedRanked, gold, run, name, seen_at AS seenAt,
           seen_in AS seenIn FROM players WHERE id = ?`,
        id,
      );
      if (!row || row.seenAt === null) continue;
      const { played, wins, playedRanked, gold, run, name, seenAt, seenIn } = row;
      this.#names.set(id, name!);
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
      this.#rename(id, name);
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
      if (table === "players") this.#rename(id, undefined);
      this.#noted(table, id);
      this.#numbers[table].remove(id);
    }
  }

  /** To be called before the row changes: notes what that means for the index of names. */
  #rename(id: string, name: string | undefined): void {
    const before = this.#names.get(id) ?? this.#nameOf(id);
    if (before === name) return;
    if (before !== undefined) this.#nameIndex.note(before);
    if (name === undefined) {
      this.#names.delete(id);
      return;
    }
    this.#nameIndex.note(name);
    this.#names.set(id, name);
  }

  /** Undefined for strangers, and for newcomers, which have no name yet. */
  #nameOf(id: string): string | undefined {
    const row = this.#statements.row<{ name: string | null }>(
      "SELECT name FROM players WHERE id = ?",
      id,
    );
    return row?.name ?? undefined;
  }

  /** The number, once the log of changes has it. */
  #noted(table: "players" | "teams", id: string): number {
    const num = this.#numbers[table].of(id);
    this.#changed[table].add(num);
    return num;
  }
}
