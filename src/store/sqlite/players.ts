/** Reads and writes the player and team tables within a transaction, and tracks changed rows. */

import {
  type NamedRow,
  type NamedTable,
  namedChecksum,
  scoreColumns,
  standingOf,
  verifyNamed,
} from "../row-checks.ts";
import {
  DamagedData,
  type PlayerRow,
  type Standing,
  type StoredResource,
  type TeamRow,
} from "../store.ts";
import type { NameIndex } from "./name-index.ts";
import type { Statements } from "./statements.ts";
import type { Totals } from "./totals.ts";

const asNull = (columns: string) => columns.replaceAll(/\w+/g, (column) => `NULL AS ${column}`);

const STANDING = `last_match_at, last_match_id, streak, played, wins, played_ranked, gold, ranked_wins,
  skill_tier, win_rate`;
const NO_STANDING = asNull(STANDING);

export const NAMED_ROWS: Record<NamedTable, string> = {
  players: `SELECT num, id, name, ${STANDING}, resource, linked, checksum FROM players`,
  teams: `SELECT num, id, name, ${NO_STANDING}, resource, linked, checksum FROM teams`,
};

/** A player gets a number first; the rest is written before the commit. */
const isNew = ({ name, last_match_at, checksum }: NamedRow): boolean =>
  name === null && last_match_at === null && checksum === null;

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

  /** Each row is read by its number: otherwise SQLite takes the id from the index, and damage stays unseen. */
  function after(table: NamedTable, afterId: string, limit: number): StoredResource[] {
    const entries = database
      .get(`SELECT num, id FROM ${table} WHERE id > ? ORDER BY id LIMIT ${limit}`)
      .values(afterId) as [number, string][];
    return entries.map(([num, id]) => {
      const row = database.row<NamedRow>(`${NAMED_ROWS[table]} WHERE num = ?`, num);
      if (row?.id !== id) throw new DamagedData(table, id);
      verifyNamed(table, row);
      return { id, resource: row.resource, companions: row.linked ?? undefined };
    });
  }

  const transaction = {
    players: (afterId: string, limit: number) => after("players", afterId, limit),
    teams: (afterId: string, limit: number) => after("teams", afterId, limit),

    standings(playerIds: string[]): Map<string, Standing> {
      const found = new Map<string, Standing>();
      for (const id of playerIds) {
        const row = database.row<NamedRow>(`${NAMED_ROWS.players} WHERE id = ?`, id);
        if (!row || isNew(row)) continue;
        verifyNamed("players", row);
        names.set(id, row.name!);
        found.set(id, standingOf(row));
      }
      return found;
    },

    putPlayers(rows: PlayerRow[]): void {
      for (const player of rows) {
        const { id, name, latest, run, totals, resource, companions } = player;
        rename(id, name);
        const num = noteChange("players", id);
        const row = {
          num,
          id,
          name,
          last_match_at: latest.createdAt,
          last_match_id: latest.matchId,
          streak: run,
          played: totals.played,
          wins: totals.wins,
          played_ranked: totals.playedRanked,
          gold: totals.gold.toString(),
          resource,
          linked: companions ?? null,
          ...scoreColumns(player),
        };
        database.run(
          `UPDATE players SET name = ?, last_match_at = ?, last_match_id = ?, streak = ?, played = ?,
             wins = ?, played_ranked = ?, gold = ?, resource = ?, linked = ?, ranked_wins = ?,
             skill_tier = ?, win_rate = ?, checksum = ?
           WHERE num = ?`,
          row.name,
          row.last_match_at,
          row.last_match_id,
          row.streak,
          row.played,
          row.wins,
          row.played_ranked,
          row.gold,
          row.resource,
          row.linked,
          row.ranked_wins,
          row.skill_tier,
          row.win_rate,
          namedChecksum(row),
          num,
        );
      }
    },

    putTeams(rows: TeamRow[]): void {
      for (const { id, name, resource, companions } of rows) {
        const num = noteChange("teams", id);
        const linked = companions ?? null;
        const sum = namedChecksum({ num, id, name, ...TEAM_STANDING, resource, linked });
        database.run(
          "UPDATE teams SET name = ?, resource = ?, linked = ?, checksum = ? WHERE num = ?",
          name,
          resource,
          linked,
          sum,
          num,
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

/** The columns of NAMED_ROWS that teams do not have. */
const TEAM_STANDING = {
  last_match_at: null,
  last_match_id: null,
  streak: null,
  played: null,
  wins: null,
  played_ranked: null,
  gold: null,
  ranked_wins: null,
  skill_tier: null,
  win_rate: null,
};

/** The ranked matches of a new player are counted from the first one. */
const ADD_ONE: Record<NamedTable, string> = {
  players: "INSERT INTO players (id) VALUES (?)",
  teams: "INSERT INTO teams (id) VALUES (?)",
};

/** About 100 bytes each. */
const MAX_CACHED = 200_000;

/** Caches the internal numbers of players or teams, and assigns new ones. */
export class RowNumbers {
  readonly #remembered = new Map<string, number>();

  constructor(
    private readonly statements: Statements,
    private readonly table: NamedTable,
    private readonly totals: Totals,
  ) {}

  /** Creates a row for a new player or team, which must be filled before the commit. */
  of(id: string): number {
    const remembered = this.#remembered.get(id);
    if (remembered !== undefined) return remembered;
    const found = this.statements.row<{ num: number }>(
      `SELECT num FROM ${this.table} WHERE id = ?`,
      id,
    );
    const num = found?.num ?? this.#addOne(id);
    if (this.#remembered.size >= MAX_CACHED) this.#remembered.clear();
    this.#remembered.set(id, num);
    return num;
  }

  remove(id: string): void {
    this.totals.change(
      this.table,
      -this.statements.run(`DELETE FROM ${this.table} WHERE id = ?`, id).changes,
    );
    this.#remembered.delete(id);
  }

  forget(): void {
    this.#remembered.clear();
  }

  #addOne(id: string): number {
    this.totals.change(this.table, 1);
    return Number(this.statements.run(ADD_ONE[this.table], id).lastInsertRowid);
  }
}
