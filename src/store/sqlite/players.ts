/** Reads and writes the player and team tables within a transaction, and tracks changed rows. */

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
  /** Null for new players, which get a number before anything else. */
  seenAt: number | null;
  seenIn: string | null;
}

export function playerTables(
  database: Statements,
  numbers: Record<NamedTable, RowNumbers>,
  nameIndex: NameIndex,
) {
  /** The numbers of written and removed rows. */
  const changed: Record<NamedTable, Set<number>> = { players: new Set(), teams: new Set() };
  /** Names read with the standings, to avoid another lookup when the players are written. */
  const names = new Map<string, string>();

  function nameOf(id: string): string | undefined {
    const row = database.row<{ name: string | null }>("SELECT name FROM players WHERE id = ?", id);
    return row?.name ?? undefined;
  }

  /** Called before the row changes, to update the name index. */
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

  /** After a transaction: others may write before the next one. */
  function forget(): void {
    names.clear();
    changed.players.clear();
    changed.teams.clear();
  }

  return { transaction, changed, forget };
}

/** About 100 bytes each. */
const MAX_CACHED = 200_000;

/** Caches the internal numbers of players or teams, and assigns new ones. */
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

  /** Creates a row for a new player or team, which must be filled before the commit. */
  of(id: string): number {
    const remembered = this.#remembered.get(id);
    if (remembered !== undefined) return remembered;
    const num = this.#find.get(id)?.num ?? this.#addOne(id);
    if (this.#remembered.size >= MAX_CACHED) this.#remembered.clear();
    this.#remembered.set(id, num);
    return num;
  }

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
