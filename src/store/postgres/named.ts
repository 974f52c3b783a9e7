/** In charge of the rows of players and teams inside a transaction, and of noting which of them changed. */

import type { PlayerRow, Standing, TeamRow } from "../store.ts";
import { type GivenColumn, insertRows, updateRows } from "./columns.ts";
import type { NamedTable, Numbers } from "./numbers.ts";
import type { Connection } from "./session.ts";

interface StandingRow {
  id: string;
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

  constructor(
    private readonly connection: Connection,
    private readonly numbers: { players: Numbers; teams: Numbers },
  ) {}

  async standings(playerIds: string[]): Promise<Map<string, Standing>> {
    if (playerIds.length === 0) return new Map();
    const rows = await this.connection.rows<StandingRow>(
      `SELECT id, played, wins, played_ranked, gold, run, seen_at, seen_in FROM {players}
       WHERE id = ANY($1::text[])`,
      [playerIds],
    );
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

  putPlayers(rows: PlayerRow[]): Promise<void> {
    return this.#put("players", rows, (those) => [
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
  }

  putTeams(rows: TeamRow[]): Promise<void> {
    return this.#put("teams", rows, () => []);
  }

  async remove(table: NamedTable, ids: string[]): Promise<void> {
    if (ids.length === 0) return;
    const gone = await this.connection.rows<{ num: number }>(
      `DELETE FROM {${table}} WHERE id = ANY($1::text[]) RETURNING num`,
      [ids],
    );
    for (const { num } of gone) this.changed[table].add(num);
    for (const id of ids) this.numbers[table].forget(id);
    this.added[table] -= gone.length;
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
    if (added.length > 0) {
      const ids: GivenColumn = { name: "id", type: "text", values: added.map(({ id }) => id) };
      await insertRows(this.connection, table, [ids, ...columns(added)]);
      for (const { id } of added) numbers.settle(id);
      this.added[table] += added.length;
    }
    if (changed.length > 0) await updateRows(this.connection, table, "num", columns(changed));
  }
}
