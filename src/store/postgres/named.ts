/** In charge of the rows of players and teams inside a transaction, and of noting which of them changed. */

import type { PlayerRow, Standing, TeamRow } from "../store.ts";
import { type GivenColumn, insertRows, updateRows } from "./columns.ts";
import type { NameIndex } from "./name-index.ts";
import type { NamedTable, Numbers } from "./numbers.ts";
import type { Connection } from "./session.ts";

interface StandingRow {
  id: string;
  name: string;
  played: number;
  wins: number;
  played_ranked: number;
  gold: string;
  run: number;
  seen_at: string;
  seen_in: string;
}

export class NamedRows {
  /** Their numbers. */
  readonly changed = { players: new Set<number>(), teams: new Set<number>() };
  /** Those added, less those removed. */
  readonly added = { players: 0, teams: 0 };
  /** The names of players that were read here: who puts them need not look again. */
  readonly #names = new Map<string, string>();

  constructor(
    private readonly connection: Connection,
    private readonly numbers: { players: Numbers; teams: Numbers },
    private readonly nameIndex: NameIndex,
  ) {}

  async standings(playerIds: string[]): Promise<Map<string, Standing>> {
    if (playerIds.length === 0) return new Map();
    const rows = await this.connection.rows<StandingRow>(
      `SELECT id, name, played, wins, played_ranked, gold, run, seen_at, seen_in FROM {players}
       WHERE id = ANY($1::text[])`,
      [playerIds],
    );
    for (const { id, name } of rows) this.#names.set(id, name);
    return new Map(
      rows.map((row) => [
        row.id,
        {
          totals: {
            played: row.played,
            wins: row.wins,
            playedRanked: row.played_ranked,
            gold: BigInt(row.gold),
          },
          run: row.run,
          latest: { createdAt: Number(row.seen_at), matchId: row.seen_in },
        },
      ]),
    );
  }

  async putPlayers(rows: PlayerRow[]): Promise<void> {
    await this.#put("players", rows, (those) => [
      { name: "seen_at", type: "bigint", values: those.map(({ latest }) => latest.createdAt) },
      { name: "seen_in", type: "text", values: those.map(({ latest }) => latest.matchId) },
      { name: "run", type: "integer", values: those.map(({ run }) => run) },
      { name: "played", type: "integer", values: those.map(({ totals }) => totals.played) },
      { name: "wins", type: "integer", values: those.map(({ totals }) => totals.wins) },
      {
        name: "played_ranked",
        type: "integer",
        values: those.map((one) => one.totals.playedRanked),
      },
      { name: "gold", type: "text", values: those.map(({ totals }) => totals.gold.toString()) },
    ]);
    for (const { id, name } of rows) this.#rename(id, name);
  }

  putTeams(rows: TeamRow[]): Promise<void> {
    return this.#put("teams", rows, () => []);
  }

  async remove(table: NamedTable, ids: string[]): Promise<void> {
    if (ids.length === 0) return;
    const gone = await this.connection.rows<{ num: number; id: string; name: string }>(
      `DELETE FROM {${table}} WHERE id = ANY($1::text[]) RETURNING num, id, name`,
      [ids],
    );
    for (const { num, id, name } of gone) {
      this.changed[table].add(num);
      if (table === "teams") continue;
      this.nameIndex.note(name);
      this.#names.delete(id);
    }
    for (const id of ids) this.numbers[table].forget(id);
    this.added[table] -= gone.length;
  }

  /** Of those that are there already, and whose standings nobody asked for. */
  async #readNames(players: readonly TeamRow[]): Promise<void> {
    const unread = players.filter(({ id }) => !this.#names.has(id)).map(({ id }) => id);
    if (unread.length === 0) return;
    const rows = await this.connection.rows<{ id: string; name: string }>(
      "SELECT id, name FROM {players} WHERE id = ANY($1::text[])",
      [unread],
    );
    for (const { id, name } of rows) this.#names.set(id, name);
  }

  /** Notes what the row that was put means for the index of names. */
  #rename(id: string, name: string): void {
    const before = this.#names.get(id);
    if (before === name) return;
    if (before !== undefined) this.nameIndex.note(before);
    this.nameIndex.note(name);
    this.#names.set(id, name);
  }

  async #put<Row extends TeamRow>(
    table: NamedTable,
    rows: readonly Row[],
    further: (rows: readonly Row[]) => GivenColumn[],
  ): Promise<void> {
    const numbers = this.numbers[table];
    await numbers.find(rows.map(({ id }) => id));
    for (const { id } of rows) this.changed[table].add(numbers.of(id));
    const columns = (those: readonly Row[]): GivenColumn[] => [
      { name: "num", type: "integer", values: those.map(({ id }) => numbers.of(id)) },
      { name: "name", type: "text", values: those.map(({ name }) => name) },
      { name: "resource", type: "bytea", values: those.map(({ resource }) => resource) },
      { name: "companions", type: "bytea", values: those.map(({ companions }) => companions) },
      ...further(those),
    ];
    const isNew = ({ id }: Row) => numbers.isNewcomer(id);
    const [added, changed] = [rows.filter(isNew), rows.filter((row) => !isNew(row))];
    if (table === "players") await this.#readNames(changed);
    if (added.length > 0) {
      const ids: GivenColumn = { name: "id", type: "text", values: added.map(({ id }) => id) };
      await insertRows(this.connection, table, [ids, ...columns(added)]);
      for (const { id } of added) numbers.settle(id);
      this.added[table] += added.length;
    }
    if (changed.length > 0) await updateRows(this.connection, table, "num", columns(changed));
  }
}
