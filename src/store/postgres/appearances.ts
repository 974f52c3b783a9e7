/** In charge of who was in which match, inside a transaction: the rows of players' and teams' matches. */

import { packResult, unpackResult } from "../results.ts";
import type { HistoryEntry, MatchEntry } from "../store.ts";
import { insertRows } from "./columns.ts";
import type { Numbers } from "./numbers.ts";
import type { Connection } from "./session.ts";

/** The numbers of all who are named must have been found before they are added or removed. */
export class Appearances {
  constructor(
    private readonly connection: Connection,
    private readonly numbers: { players: Numbers; teams: Numbers },
  ) {}

  async add(matches: MatchEntry[]): Promise<void> {
    await Promise.all([this.#addPlayers(matches), this.#addTeams(matches)]);
  }

  async remove(matches: MatchEntry[]): Promise<void> {
    const { players, teams } = this.numbers;
    const entries = [
      ["player_matches", "player", entriesOf(matches, "players", players)],
      ["team_matches", "team", entriesOf(matches, "teams", teams)],
    ] as const;
    for (const [table, column, those] of entries) {
      await this.connection.run(
        `DELETE FROM {${table}} AS old USING unnest($1::integer[], $2::bigint[], $3::text[])
           AS gone (num, created_at, match_id)
         WHERE old.${column} = gone.num AND old.created_at = gone.created_at
           AND old.match_id = gone.match_id`,
        [those.nums, those.times, those.ids],
      );
    }
  }

  async playerHistory(playerId: string, limit: number): Promise<HistoryEntry[]> {
    const num = await this.numbers.players.known(playerId);
    if (num === undefined) return [];
    const rows = await this.connection.rows<{
      created_at: string;
      match_id: string;
      result: number;
    }>(
      `SELECT created_at, match_id, result FROM {player_matches}
       WHERE player = $1::integer ORDER BY created_at DESC, match_id DESC LIMIT $2`,
      [num, limit],
    );
    return rows.map((row) => ({
      createdAt: Number(row.created_at),
      matchId: row.match_id,
      result: unpackResult(row.result),
    }));
  }

  async latestOfTeam(teamId: string): Promise<string | undefined> {
    const num = await this.numbers.teams.known(teamId);
    if (num === undefined) return undefined;
    const [row] = await this.connection.rows<{ match_id: string }>(
      `SELECT match_id FROM {team_matches} WHERE team = $1::integer
       ORDER BY created_at DESC, match_id DESC LIMIT 1`,
      [num],
    );
    return row?.match_id;
  }

  async #addPlayers(matches: MatchEntry[]): Promise<void> {
    const { nums, times, ids } = entriesOf(matches, "players", this.numbers.players);
    if (nums.length === 0) return;
    const results = matches.flatMap((match) =>
      match.players.map(({ result }) => packResult(result)),
    );
    await insertRows(this.connection, "player_matches", [
      { name: "player", type: "integer", values: nums },
      { name: "created_at", type: "bigint", values: times },
      { name: "match_id", type: "text", values: ids },
      { name: "result", type: "smallint", values: results },
    ]);
  }

  async #addTeams(matches: MatchEntry[]): Promise<void> {
    const { nums, times, ids } = entriesOf(matches, "teams", this.numbers.teams);
    if (nums.length === 0) return;
    await insertRows(this.connection, "team_matches", [
      { name: "team", type: "integer", values: nums },
      { name: "created_at", type: "bigint", values: times },
      { name: "match_id", type: "text", values: ids },
      {
        name: "plays",
        type: "boolean",
        values: matches.flatMap((match) => match.teams.map(({ plays }) => plays)),
      },
    ]);
  }
}

/** Everybody's part in these matches, as columns. */
function entriesOf(matches: MatchEntry[], whose: "players" | "teams", numbers: Numbers) {
  const entries = matches.flatMap((match) =>
    match[whose].map(({ id }) => ({ num: numbers.of(id), match })),
  );
  return {
    nums: entries.map(({ num }) => num),
    times: entries.map(({ match }) => match.createdAt),
    ids: entries.map(({ match }) => match.id),
  };
}
