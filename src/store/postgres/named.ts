/** In charge of the rows of players and teams inside a transaction, and of noting which of them changed. */

import type { PlayerRow, Standing, TeamRow } from "../store.ts";
import { laidOut } from "./blobs.ts";
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
  readonly removed = { players: 0, teams: 0 };

  constructor(
    private readonly connection: Connection,
    private readonly numbers: { players: Numbers; teams: Numbers },
  ) {}

  async standings(playerIds: string[]): Promise<Map<string, Standing>> {
    if (playerIds.length === 0) return new Map();
    // Newcomers have a number before they have anything else.
    const rows = await this.connection.rows<StandingRow>(
      `SELECT id, played, wins, played_ranked, gold, run, seen_at, seen_in FROM {players}
       WHERE id = ANY($1::text[]) AND seen_at IS NOT NULL`,
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

  async putPlayers(rows: PlayerRow[]): Promise<void> {
    await this.#put("players", rows, [
      ["seen_at", "bigint", rows.map(({ latest }) => latest.createdAt)],
      ["seen_in", "text", rows.map(({ latest }) => latest.matchId)],
      ["run", "integer", rows.map(({ run }) => run)],
      ["played", "integer", rows.map(({ totals }) => totals.played)],
      ["wins", "integer", rows.map(({ totals }) => totals.wins)],
      ["played_ranked", "integer", rows.map(({ totals }) => totals.playedRanked)],
      ["gold", "text", rows.map(({ totals }) => totals.gold.toString())],
    ]);
  }

  async putTeams(rows: TeamRow[]): Promise<void> {
    await this.#put("teams", rows, []);
  }

  async remove(table: NamedTable, ids: string[]): Promise<void> {
    if (ids.length === 0) return;
    const gone = await this.connection.rows<{ num: number }>(
      `DELETE FROM {${table}} WHERE id = ANY($1::text[]) RETURNING num`,
      [ids],
    );
    for (const { num } of gone) this.changed[table].add(num);
    for (const id of ids) this.numbers[table].forget(id);
    this.removed[table] += gone.length;
  }

  async #put(
    table: NamedTable,
    rows: readonly TeamRow[],
    further: [column: string, type: string, values: readonly unknown[]][],
  ): Promise<void> {
    if (rows.length === 0) return;
    const resources = laidOut(rows.map(({ resource }) => resource));
    const companions = laidOut(rows.map(({ companions }) => companions ?? new Uint8Array()));
    // A length of -1 stands for none at all.
    const companionLengths = rows.map(({ companions }) => companions?.length ?? -1);
    const columns: [name: string, type: string, values: readonly unknown[]][] = [
      ["id", "text", rows.map(({ id }) => id)],
      ["name", "text", rows.map(({ name }) => name)],
      ["start", "integer", resources.starts],
      ["length", "integer", resources.lengths],
      ["companion_start", "integer", companions.starts],
      ["companion_length", "integer", companionLengths],
      ...further,
    ];
    const arrays = columns.map(([, type], at) => `$${at + 3}::${type}[]`).join(", ");
    const names = columns.map(([name]) => name).join(", ");
    const changed = await this.connection.rows<{ num: number }>(
      `UPDATE {${table}} AS old SET name = new.name,
         resource = substr($1::bytea, new.start, new.length),
         companions = CASE WHEN companion_length >= 0
           THEN substr($2::bytea, companion_start, companion_length) END
         ${further.map(([name]) => `, ${name} = new.${name}`).join("")}
       FROM unnest(${arrays}) AS new (${names}) WHERE old.id = new.id RETURNING num`,
      [resources.bytes, companions.bytes, ...columns.map(([, , values]) => values)],
    );
    for (const { num } of changed) this.changed[table].add(num);
  }
}
