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
  type PlayerRow,
  type Standing,
  type StoredResource,
  StoreError,
  type TeamRow,
} from "../store.ts";
import { type GivenColumn, insertRows, updateRows } from "./bulk-write.ts";
import type { NameIndex } from "./name-index.ts";
import { NAMED_ROWS } from "./named-rows.ts";
import type { Connection } from "./session.ts";

export function playerTables(
  connection: Connection,
  numbers: Record<NamedTable, RowNumbers>,
  nameIndex: NameIndex,
) {
  /** The numbers of written and removed rows. */
  const changed: Record<NamedTable, Set<number>> = { players: new Set(), teams: new Set() };
  /** Rows added minus removed. */
  const added: Record<NamedTable, number> = { players: 0, teams: 0 };
  /** Names read so far, to avoid another lookup when the players are written. */
  const names = new Map<string, string>();

  /** Reads the names of existing players that are not known yet. */
  async function readNames(players: readonly { id: string }[]): Promise<void> {
    const unread = players.filter(({ id }) => !names.has(id)).map(({ id }) => id);
    if (unread.length === 0) return;
    const rows = await connection.rows<{ id: string; name: string }>(
      "SELECT id, name FROM {players} WHERE id = ANY($1::text[])",
      [unread],
    );
    for (const { id, name } of rows) names.set(id, name);
  }

  async function put<Row extends TeamRow>(
    table: NamedTable,
    rows: readonly Row[],
    toWrite: (num: number, row: Row) => WrittenRow,
  ): Promise<void> {
    const nums = numbers[table];
    await nums.find(rows.map(({ id }) => id));
    const all = rows.map((row) => toWrite(nums.of(row.id), row));
    for (const { num } of all) changed[table].add(num);
    const fresh = all.filter(({ id }) => nums.isNew(id));
    const existing = all.filter(({ id }) => !nums.isNew(id));
    if (table === "players") await readNames(existing);
    if (fresh.length > 0) {
      await insertRows(connection, table, columnsOf(table, fresh));
      for (const { id } of fresh) nums.settle(id);
      added[table] += fresh.length;
    }
    if (existing.length > 0) await updateRows(connection, table, "num", columnsOf(table, existing));
  }

  async function remove(table: NamedTable, ids: string[]): Promise<void> {
    if (ids.length === 0) return;
    const gone = await connection.rows<{ num: number; id: string; name: string }>(
      `DELETE FROM {${table}} WHERE id = ANY($1::text[]) RETURNING num, id, name`,
      [ids],
    );
    for (const { num, id, name } of gone) {
      changed[table].add(num);
      if (table === "teams") continue;
      nameIndex.note(name);
      names.delete(id);
    }
    for (const id of ids) numbers[table].forget(id);
    added[table] -= gone.length;
  }

  async function after(table: NamedTable, id: string, limit: number): Promise<StoredResource[]> {
    const rows = await connection.rows<NamedRow>(
      `${NAMED_ROWS[table]} WHERE id > $1 ORDER BY id LIMIT $2`,
      [id, limit],
    );
    return rows.map((row) => {
      verifyNamed(table, row);
      return { id: row.id, resource: row.resource, companions: row.linked ?? undefined };
    });
  }

  const transaction = {
    players: (afterId: string, limit: number) => after("players", afterId, limit),
    teams: (afterId: string, limit: number) => after("teams", afterId, limit),

    async standings(playerIds: string[]): Promise<Map<string, Standing>> {
      if (playerIds.length === 0) return new Map();
      const rows = await connection.rows<NamedRow>(
        `${NAMED_ROWS.players} WHERE id = ANY($1::text[])`,
        [playerIds],
      );
      for (const row of rows) {
        verifyNamed("players", row);
        names.set(row.id, row.name!);
      }
      return new Map(rows.map((row) => [row.id, standingOf(row)]));
    },

    async putPlayers(rows: PlayerRow[]): Promise<void> {
      await put("players", rows, playerRow);
      for (const { id, name } of rows) {
        const before = names.get(id);
        if (before === name) continue;
        if (before !== undefined) nameIndex.note(before);
        nameIndex.note(name);
        names.set(id, name);
      }
    },

    putTeams: (rows: TeamRow[]) => put("teams", rows, teamRow),
    removePlayers: (ids: string[]) => remove("players", ids),
    removeTeams: (ids: string[]) => remove("teams", ids),
  };

  return { transaction, changed, added };
}

type WrittenRow = Omit<NamedRow, "checksum">;

const teamRow = (num: number, { id, name, resource, companions }: TeamRow): WrittenRow => ({
  num,
  id,
  name,
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
  resource,
  linked: companions ?? null,
});

const playerRow = (num: number, player: PlayerRow): WrittenRow => ({
  ...teamRow(num, player),
  last_match_at: player.latest.createdAt,
  last_match_id: player.latest.matchId,
  streak: player.run,
  played: player.totals.played,
  wins: player.totals.wins,
  played_ranked: player.totals.playedRanked,
  gold: player.totals.gold.toString(),
  ...scoreColumns(player),
});

function columnsOf(table: NamedTable, rows: readonly WrittenRow[]): GivenColumn[] {
  const standing: GivenColumn[] = [
    { name: "last_match_at", type: "bigint", values: rows.map((row) => row.last_match_at!) },
    { name: "last_match_id", type: "text", values: rows.map((row) => row.last_match_id!) },
    { name: "streak", type: "integer", values: rows.map(({ streak }) => streak!) },
    { name: "played", type: "integer", values: rows.map(({ played }) => played!) },
    { name: "wins", type: "integer", values: rows.map(({ wins }) => wins!) },
    { name: "played_ranked", type: "integer", values: rows.map((row) => row.played_ranked!) },
    { name: "gold", type: "text", values: rows.map(({ gold }) => gold!) },
    { name: "ranked_wins", type: "integer", values: rows.map((row) => row.ranked_wins) },
    { name: "skill_tier", type: "bigint", values: rows.map((row) => row.skill_tier) },
    { name: "win_rate", type: "integer", values: rows.map((row) => row.win_rate) },
  ];
  return [
    { name: "num", type: "integer", values: rows.map(({ num }) => num) },
    { name: "id", type: "text", values: rows.map(({ id }) => id) },
    { name: "name", type: "text", values: rows.map(({ name }) => name!) },
    { name: "resource", type: "bytea", values: rows.map(({ resource }) => resource) },
    { name: "linked", type: "bytea", values: rows.map(({ linked }) => linked ?? undefined) },
    ...(table === "players" ? standing : []),
    { name: "checksum", type: "bigint", values: rows.map(namedChecksum) },
  ];
}

const LAST_NUMBER = { players: "last_player", teams: "last_team" } as const;
/** The maximum of their integer columns. */
const HIGHEST = 2 ** 31 - 1;

/**
 * Finds and assigns the internal numbers of players or teams within a transaction. The counter is
 * in the shard's state instead of a sequence, so that a rollback uses up no numbers.
 */
export class RowNumbers {
  readonly #known = new Map<string, number>();
  /** Ids with a new number and no row yet. */
  readonly #new = new Set<string>();
  /** The last number assigned; undefined if none was needed yet. */
  last: number | undefined;

  constructor(
    private readonly connection: Connection,
    private readonly table: NamedTable,
  ) {}

  /** Must be called for these ids before `of`. */
  async find(ids: Iterable<string>): Promise<void> {
    const wanted = [...new Set(ids)].filter((id) => !this.#known.has(id));
    await this.#lookUp(wanted);
    const missing = wanted.filter((id) => !this.#known.has(id));
    if (missing.length > 0) await this.#giveTo(missing);
  }

  of(id: string): number {
    return this.#known.get(id)!;
  }

  /** The number, if the id has one. */
  async known(id: string): Promise<number | undefined> {
    if (!this.#known.has(id)) await this.#lookUp([id]);
    return this.#known.get(id);
  }

  isNew(id: string): boolean {
    return this.#new.has(id);
  }

  /** Called after the row is added. */
  settle(id: string): void {
    this.#new.delete(id);
  }

  /** Called after the row is removed. */
  forget(id: string): void {
    this.#known.delete(id);
    this.#new.delete(id);
  }

  async #lookUp(ids: string[]): Promise<void> {
    if (ids.length === 0) return;
    const rows = await this.connection.rows<{ num: number; id: string }>(
      `SELECT num, id FROM {${this.table}} WHERE id = ANY($1::text[])`,
      [ids],
    );
    for (const { num, id } of rows) this.#known.set(id, num);
  }

  async #giveTo(ids: string[]): Promise<void> {
    this.last ??= await this.#lastGiven();
    if (this.last + ids.length > HIGHEST) {
      throw new StoreError(
        `the shard has run out of internal numbers for ${this.table}; move it with 'matchbook shards move', which renumbers them`,
      );
    }
    for (const id of ids) {
      this.last += 1;
      this.#known.set(id, this.last);
      this.#new.add(id);
    }
  }

  async #lastGiven(): Promise<number> {
    const [state] = await this.connection.rows<{ last: number }>(
      `SELECT ${LAST_NUMBER[this.table]} AS last FROM {shard}`,
    );
    return state!.last;
  }
}
