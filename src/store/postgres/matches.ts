/** In charge of the rows of records, served and withheld, inside a transaction. */

import type { WithheldReason } from "../../domain/visibility.ts";
import { packResult, unpackResult } from "../results.ts";
import type {
  Fate,
  Fragment,
  HistoryEntry,
  KeptRecord,
  MatchEntry,
  StoredMatch,
  WithheldEntry,
} from "../store.ts";
import { laidOut } from "./blobs.ts";
import type { Numbers } from "./numbers.ts";
import type { Partitions } from "./partitions.ts";
import type { Connection } from "./session.ts";

export interface RecordRow {
  id: string;
  created_at: string;
  game_mode: string;
  patch_version: string;
  content_hash: Uint8Array;
  sheet: Uint8Array;
  carried: Uint8Array;
  reason: WithheldReason | null;
}

export const RECORD = "id, created_at, game_mode, patch_version, content_hash, sheet, carried";
const SERVED = "{match_ids} AS ids JOIN {matches} AS m USING (created_at, id)";

export class MatchRows {
  /** Served matches added, less those removed. */
  added = 0;

  constructor(
    private readonly connection: Connection,
    private readonly numbers: { players: Numbers; teams: Numbers },
    private readonly partitions: Partitions,
  ) {}

  async known(ids: string[]): Promise<Map<string, { fate: Fate; contentHash: Uint8Array }>> {
    if (ids.length === 0) return new Map();
    const rows = await this.connection.rows<Pick<RecordRow, "id" | "content_hash" | "reason">>(
      `SELECT id, content_hash, NULL AS reason FROM ${SERVED} WHERE id = ANY($1::text[])
       UNION ALL SELECT id, content_hash, reason FROM {withheld} WHERE id = ANY($1::text[])`,
      [ids],
    );
    return new Map(
      rows.map((row) => [row.id, { fate: fateOf(row.reason), contentHash: row.content_hash }]),
    );
  }

  async load(ids: string[]): Promise<KeptRecord[]> {
    if (ids.length === 0) return [];
    const rows = await this.connection.rows<RecordRow>(
      `SELECT ${RECORD}, NULL AS reason FROM ${SERVED} WHERE id = ANY($1::text[])
       UNION ALL SELECT ${RECORD}, reason FROM {withheld} WHERE id = ANY($1::text[])`,
      [ids],
    );
    return rows.map(keptRecord);
  }

  async carried(id: string): Promise<Fragment | undefined> {
    const [row] = await this.connection.rows<{ carried: Uint8Array }>(
      `SELECT carried FROM ${SERVED} WHERE id = $1`,
      [id],
    );
    return row?.carried;
  }

  async addServed(matches: MatchEntry[]): Promise<void> {
    if (matches.length === 0) return;
    const { players, teams } = this.numbers;
    await this.partitions.makeFor(
      this.connection,
      matches.map(({ createdAt }) => createdAt),
    );
    await players.find(matches.flatMap((match) => match.players.map(({ id }) => id)));
    await teams.find(matches.flatMap((match) => match.teams.map(({ id }) => id)));
    await this.#insert("matches", matches, [
      ["players", "integer[]", matches.map((match) => listed(match.players, players))],
      ["teams", "integer[]", matches.map((match) => listed(match.teams, teams))],
    ]);
    await this.connection.run(
      "INSERT INTO {match_ids} (id, created_at) SELECT * FROM unnest($1::text[], $2::bigint[])",
      [matches.map(({ id }) => id), matches.map(({ createdAt }) => createdAt)],
    );
    await this.#addEntries(matches);
    this.added += matches.length;
  }

  async removeServed(matches: MatchEntry[]): Promise<void> {
    if (matches.length === 0) return;
    const { players, teams } = this.numbers;
    await players.find(matches.flatMap((match) => match.players.map(({ id }) => id)));
    await teams.find(matches.flatMap((match) => match.teams.map(({ id }) => id)));
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
    const keys = [matches.map(({ id }) => id), matches.map(({ createdAt }) => createdAt)];
    for (const table of ["matches", "match_ids"]) {
      await this.connection.run(
        `DELETE FROM {${table}} AS old USING unnest($1::text[], $2::bigint[])
           AS gone (id, created_at)
         WHERE old.created_at = gone.created_at AND old.id = gone.id`,
        keys,
      );
    }
    this.added -= matches.length;
  }

  async addWithheld(matches: WithheldEntry[]): Promise<void> {
    if (matches.length === 0) return;
    await this.#insert("withheld", matches, [
      ["reason", "text", matches.map(({ reason }) => reason)],
    ]);
  }

  async removeWithheld(ids: string[]): Promise<void> {
    if (ids.length === 0) return;
    await this.connection.run("DELETE FROM {withheld} WHERE id = ANY($1::text[])", [ids]);
  }

  async playerHistory(playerId: string, limit: number): Promise<HistoryEntry[]> {
    const rows = await this.connection.rows<{
      created_at: string;
      match_id: string;
      result: number;
    }>(
      `SELECT created_at, match_id, result FROM {player_matches}
       WHERE player = (SELECT num FROM {players} WHERE id = $1)
       ORDER BY created_at DESC, match_id DESC LIMIT $2`,
      [playerId, limit],
    );
    return rows.map((row) => ({
      createdAt: Number(row.created_at),
      matchId: row.match_id,
      result: unpackResult(row.result),
    }));
  }

  async latestOfTeam(teamId: string): Promise<string | undefined> {
    const [row] = await this.connection.rows<{ match_id: string }>(
      `SELECT match_id FROM {team_matches} WHERE team = (SELECT num FROM {teams} WHERE id = $1)
       ORDER BY created_at DESC, match_id DESC LIMIT 1`,
      [teamId],
    );
    return row?.match_id;
  }

  /** Adds records with further columns of their own, given as texts. */
  async #insert(
    table: "matches" | "withheld",
    matches: readonly StoredMatch[],
    further: [column: string, type: string, values: string[]][],
  ): Promise<void> {
    const blobs = laidOut(
      matches.flatMap(({ contentHash, sheet, carried }) => [contentHash, sheet, carried]),
    );
    const nth = (values: number[], which: number) => values.filter((_, at) => at % 3 === which);
    const cut = (which: number) => `substr($1, start_${which}, length_${which})`;
    const columns: [name: string, type: string, values: readonly unknown[]][] = [
      ["id", "text", matches.map(({ id }) => id)],
      ["created_at", "bigint", matches.map(({ createdAt }) => createdAt)],
      ["game_mode", "text", matches.map(({ gameMode }) => gameMode)],
      ["patch_version", "text", matches.map(({ patchVersion }) => patchVersion)],
      ...[0, 1, 2].flatMap((which): [string, string, number[]][] => [
        [`start_${which}`, "integer", nth(blobs.starts, which)],
        [`length_${which}`, "integer", nth(blobs.lengths, which)],
      ]),
      ...further.map(([name, , values]): [string, string, string[]] => [name, "text", values]),
    ];
    const names = columns.map(([name]) => name).join(", ");
    const arrays = columns.map(([, type], at) => `$${at + 2}::${type}[]`).join(", ");
    await this.connection.run(
      `INSERT INTO {${table}} (${RECORD}${further.map(([name]) => `, ${name}`).join("")})
       SELECT id, created_at, game_mode, patch_version, ${cut(0)}, ${cut(1)}, ${cut(2)}
         ${further.map(([name, type]) => `, ${name}::${type}`).join("")}
       FROM (SELECT $1::bytea) AS blobs, unnest(${arrays}) AS new (${names})`,
      [blobs.bytes, ...columns.map(([, , values]) => values)],
    );
  }

  async #addEntries(matches: MatchEntry[]): Promise<void> {
    const players = entriesOf(matches, "players", this.numbers.players);
    await this.connection.run(
      `INSERT INTO {player_matches} (player, created_at, match_id, result)
       SELECT * FROM unnest($1::integer[], $2::bigint[], $3::text[], $4::smallint[])`,
      [
        players.nums,
        players.times,
        players.ids,
        matches.flatMap((match) => match.players.map(({ result }) => packResult(result))),
      ],
    );
    const teams = entriesOf(matches, "teams", this.numbers.teams);
    if (teams.ids.length === 0) return;
    await this.connection.run(
      `INSERT INTO {team_matches} (team, created_at, match_id, plays)
       SELECT num, created_at, match_id, plays = 1
       FROM unnest($1::integer[], $2::bigint[], $3::text[], $4::smallint[])
         AS new (num, created_at, match_id, plays)`,
      [
        teams.nums,
        teams.times,
        teams.ids,
        matches.flatMap((match) => match.teams.map(({ plays }) => (plays ? 1 : 0))),
      ],
    );
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

/** Their numbers as PostgreSQL writes an array. */
function listed(entries: readonly { id: string }[], numbers: Numbers): string {
  return `{${entries.map(({ id }) => numbers.of(id)).join(",")}}`;
}

function fateOf(reason: WithheldReason | null): Fate {
  return reason === null ? { state: "served" } : { state: "withheld", reason };
}

export function keptRecord(row: RecordRow): KeptRecord {
  return { fate: fateOf(row.reason), match: storedMatch(row) };
}

function storedMatch(row: RecordRow): StoredMatch {
  return {
    id: row.id,
    createdAt: Number(row.created_at),
    gameMode: row.game_mode,
    patchVersion: row.patch_version,
    contentHash: row.content_hash,
    sheet: row.sheet,
    carried: row.carried,
  };
}
