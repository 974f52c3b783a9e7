/** The tables of players and teams inside a transaction, and which of their rows changed. */

import type { Statement } from "bun:sqlite";
import type { PlayerRow, Standing, StoredResource, TeamRow } from "../store.ts";
import type { Totals } from "./counters.ts";
import type { NameIndex } from "./name-index.ts";
import type { Statements } from "./statements.ts";

export type NamedTable = "players" | "teams";

interface StandingRow {
  played: number;
  wins: number;
  playedRanked: number;
  gold: string;
  run: number;
  name: string | null;
  /** Null of new players, which have a number before they have anything else. */
  seenAt: number | null;
  seenIn: string | null;
}

export function playerTables(
  database: Statements,
  numbers: Record<NamedTable, RowNumbers>,
  nameIndex: NameIndex,
) {
  /** The numbers of the rows that were written or removed. */
  const changed: Record<NamedTable, Set<number>> = { players: new Set(), teams: new Set() };
  /** The names of players whose standings were read: to write them needs no other look. */
  const names = new Map<string, string>();

  function nameOf(id: string): string | undefined {
    const row = database.row<{ name: string | null }>("SELECT name FROM players WHERE id = ?", id);
    return row?.name ?? undefined;
  }

  /** Called before the row changes: the name index may change with it. */
  function rename(id: string, name: string | undefined): void {
    const before = names.get(id) ?? nameOf(id);
    if (before === name) return;
    if (before !== undefined) nameIndex.note(before);
    if (name === undefined) {
      names.delete(id);
      return;
    }
    nameIndex.note(name);
    names.set(id, name);
  }

  function noteChange(table: NamedTable, id: string): number {
    const num = numbers[table].of(id);
    changed[table].add(num);
    return num;
  }

  function remove(table: NamedTable, ids: string[]): void {
    for (const id of ids) {
      if (table === "players") rename(id, undefined);
      noteChange(table, id);
      numbers[table].remove(id);
    }
  }

  const after = (table: NamedTable, id: string, limit: number): StoredResource[] =>
    database
      .get<{ id: string; resource: Uint8Array; companions: Uint8Array | null }>(
        `SELECT id, resource, companions FROM ${table} WHERE id > ? ORDER BY id LIMIT ${limit}`,
      )
      .all(id)
      .map((row) => ({ ...row, companions: row.companions ?? undefined }));

  const transaction = {
    players: (afterId: string, limit: number) => after("players", afterId, limit),
    teams: (afterId: string, limit: number) => after("teams", afterId, limit),

    standings(playerIds: string[]): Map<string, Standing> {
      const found = new Map<string, Standing>();
      for (const id of playerIds) {
        const row = database.row<StandingRow>(
          `SELECT played, wins, played_ranked AS playedRanked, gold, run, name, seen_at AS seenAt,
             seen_in AS seenIn FROM players WHERE id = ?`,
          id,
        );
        if (!row || row.seenAt === null) continue;
        const { played, wins, playedRanked, gold, run, name, seenAt, seenIn } = row;
        names.set(id, name!);
        found.set(id, {
          totals: { played, wins, playedRanked, gold: BigInt(gold) },
          run,
          latest: { createdAt: seenAt, matchId: seenIn! },
        });
      }
      return found;
    },

    putPlayers(rows: PlayerRow[]): void {
      for (const { id, name, latest, run, totals, resource, companions } of rows) {
        rename(id, name);
        database.run(
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
          noteChange("players", id),
        );
      }
    },

    putTeams(rows: TeamRow[]): void {
      for (const { id, name, resource, companions } of rows) {
        database.run(
          "UPDATE teams SET name = ?, resource = ?, companions = ? WHERE num = ?",
          name,
          resource,
          companions ?? null,
          noteChange("teams", id),
        );
      }
    },

    removePlayers: (ids: string[]) => remove("players", ids),
    removeTeams: (ids: string[]) => remove("teams", ids),
  };

  /** After the end of a transaction: others may write before the next. */
  function forget(): void {
    names.clear();
    changed.players.clear();
    changed.teams.clear();
  }

  return { transaction, changed, forget };
}

/** A number takes about a hundred bytes here. */
const MOST_REMEMBERED = 200_000;

/** The internal numbers of players or teams: looked up once, given to new ones. */
export class RowNumbers {
  readonly #remembered = new Map<string, number>();
  readonly #find: Statement<{ num: number }, [string]>;
  readonly #add: Statement<unknown, [string]>;
  readonly #remove: Statement<unknown, [string]>;

  constructor(
    { database }: Statements,
    private readonly table: NamedTable,
    private readonly totals: Totals,
  ) {
    this.#find = database.query(`SELECT num FROM ${table} WHERE id = ?`);
    this.#add = database.query(`INSERT INTO ${table} (id) VALUES (?)`);
    this.#remove = database.query(`DELETE FROM ${table} WHERE id = ?`);
  }

  /** New players and teams get a number, and are to be filled in before the commit. */
  of(id: string): number {
    const remembered = this.#remembered.get(id);
    if (remembered !== undefined) return remembered;
    const num = this.#find.get(id)?.num ?? this.#addOne(id);
    if (this.#remembered.size >= MOST_REMEMBERED) this.#remembered.clear();
    this.#remembered.set(id, num);
    return num;
  }

  /** Removes the row, and with it the number. */
  remove(id: string): void {
    this.totals.change(this.table, -this.#remove.run(id).changes);
    this.#remembered.delete(id);
  }

  forget(): void {
    this.#remembered.clear();
  }

  #addOne(id: string): number {
    this.totals.change(this.table, 1);
    return Number(this.#add.run(id).lastInsertRowid);
  }
}
