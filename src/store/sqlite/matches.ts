/** Reads and writes the match tables within a transaction. */

import type { SQLQueryBindings } from "bun:sqlite";
import type { WithheldReason } from "../../domain/visibility.ts";
import {
  fateOf,
  packResult,
  packServed,
  type RecordRow,
  readRecord,
  unpackResult,
} from "../row-encoding.ts";
import type {
  Fate,
  Fragment,
  HistoryEntry,
  MatchEntry,
  MatchKey,
  ShardRecord,
  StoredMatch,
  WithheldEntry,
} from "../store.ts";
import type { Totals } from "./counters.ts";
import type { RowNumbers } from "./players.ts";
import type { Statements } from "./statements.ts";

const RECORD = "id, created_at, game_mode, patch_version, content_hash";
const SERVED = `SELECT ${RECORD}, served AS sheet, fragment AS carried, NULL AS reason
                FROM matches JOIN carried ON carried.match = matches.num`;
const WITHHELD = `SELECT ${RECORD}, sheet, carried, reason FROM withheld`;
const ADD_SERVED = `INSERT INTO matches (${RECORD}, served) VALUES (?, ?, ?, ?, ?, ?)`;
const ADD_WITHHELD = `INSERT INTO withheld (${RECORD}, sheet, carried, reason)
                      VALUES (?, ?, ?, ?, ?, ?, ?, ?)`;
const ADD_PLAYER =
  "INSERT INTO player_matches (player, created_at, match_id, match, result) VALUES (?, ?, ?, ?, ?)";
const ADD_TEAM =
  "INSERT INTO team_matches (team, created_at, match_id, match, plays) VALUES (?, ?, ?, ?, ?)";

/** Before every match. */
const BEGINNING: MatchKey = { createdAt: Number.MIN_SAFE_INTEGER, id: "" };

export function matchTables(
  database: Statements,
  numbers: { players: RowNumbers; teams: RowNumbers },
  totals: Totals,
) {
  const records = (sql: string, ...values: SQLQueryBindings[]): ShardRecord[] =>
    database
      .get<RecordRow>(sql)
      .all(...values)
      .map(readRecord);

  const withheldAfter = (id: string, limit: number) =>
    records(`${WITHHELD} WHERE id > ? ORDER BY id LIMIT ${limit}`, id);

  function addOne(match: MatchEntry): void {
    const { id, createdAt, encoded, carried } = match;
    const players = match.players.map((player) => numbers.players.of(player.id));
    const teams = match.teams.map((team) => numbers.teams.of(team.id));
    const served = packServed(players, teams, encoded);
    const num = Number(database.run(ADD_SERVED, ...recordValues(match), served).lastInsertRowid);
    database.run("INSERT INTO carried (match, fragment) VALUES (?, ?)", num, carried);
    for (const [index, { result }] of match.players.entries()) {
      database.run(ADD_PLAYER, players[index]!, createdAt, id, num, packResult(result));
    }
    for (const [index, { plays }] of match.teams.entries()) {
      database.run(ADD_TEAM, teams[index]!, createdAt, id, num, plays ? 1 : 0);
    }
  }

  function removeOne({ id, createdAt, players, teams }: MatchEntry): void {
    for (const player of players) {
      database.run(
        "DELETE FROM player_matches WHERE player = ? AND created_at = ? AND match_id = ?",
        numbers.players.of(player.id),
        createdAt,
        id,
      );
    }
    for (const team of teams) {
      database.run(
        "DELETE FROM team_matches WHERE team = ? AND created_at = ? AND match_id = ?",
        numbers.teams.of(team.id),
        createdAt,
        id,
      );
    }
    database.run("DELETE FROM carried WHERE match = (SELECT num FROM matches WHERE id = ?)", id);
    totals.change("matches", -database.run("DELETE FROM matches WHERE id = ?", id).changes);
  }

  return {
    known(ids: string[]) {
      const found = new Map<string, { fate: Fate; contentHash: Uint8Array }>();
      const served = database.get<{ hash: Uint8Array; reason: null }>(
        "SELECT content_hash AS hash, NULL AS reason FROM matches WHERE id = ?",
      );
      const withheld = database.get<{ hash: Uint8Array; reason: WithheldReason }>(
        "SELECT content_hash AS hash, reason FROM withheld WHERE id = ?",
      );
      for (const id of ids) {
        const row = served.get(id) ?? withheld.get(id);
        if (row) found.set(id, { fate: fateOf(row.reason), contentHash: row.hash });
      }
      return found;
    },

    load: (ids: string[]): ShardRecord[] =>
      ids.flatMap((id) => [
        ...records(`${SERVED} WHERE id = ?`, id),
        ...records(`${WITHHELD} WHERE id = ?`, id),
      ]),

    records(after: { fate: Fate; match: MatchKey } | undefined, limit: number): ShardRecord[] {
      if (after?.fate.state === "withheld") return withheldAfter(after.match.id, limit);
      const { createdAt, id } = after?.match ?? BEGINNING;
      const served = records(
        `${SERVED} WHERE (created_at, id) > (?, ?) ORDER BY created_at, id LIMIT ${limit}`,
        createdAt,
        id,
      );
      const room = limit - served.length;
      return room === 0 ? served : [...served, ...withheldAfter("", room)];
    },

    carried: (id: string): Fragment | undefined =>
      database.row<{ fragment: Fragment }>(
        "SELECT fragment FROM matches JOIN carried ON carried.match = matches.num WHERE id = ?",
        id,
      )?.fragment,

    addServed(matches: MatchEntry[]): void {
      for (const match of matches) addOne(match);
      totals.change("matches", matches.length);
    },

    removeServed(matches: MatchEntry[]): void {
      for (const match of matches) removeOne(match);
    },

    addWithheld(matches: WithheldEntry[]): void {
      for (const match of matches) {
        const { encoded, carried, reason } = match;
        database.run(ADD_WITHHELD, ...recordValues(match), encoded, carried, reason);
      }
    },

    removeWithheld(ids: string[]): void {
      for (const id of ids) database.run("DELETE FROM withheld WHERE id = ?", id);
    },

    playerHistory(playerId: string, limit: number): HistoryEntry[] {
      // A literal limit: with a parameter, SQLite would prepare the statement again each time.
      const rows = database
        .get(
          `SELECT created_at, match_id, result FROM player_matches
           WHERE player = (SELECT num FROM players WHERE id = ?)
           ORDER BY created_at DESC, match_id DESC LIMIT ${limit}`,
        )
        .values(playerId) as [number, string, number][];
      return rows.map(([createdAt, matchId, result]) => ({
        createdAt,
        matchId,
        result: unpackResult(result),
      }));
    },

    latestOfTeam: (teamId: string): string | undefined =>
      database.row<{ match_id: string }>(
        `SELECT match_id FROM team_matches WHERE team = (SELECT num FROM teams WHERE id = ?)
         ORDER BY created_at DESC, match_id DESC LIMIT 1`,
        teamId,
      )?.match_id,
  };
}

function recordValues(match: StoredMatch): SQLQueryBindings[] {
  return [match.id, match.createdAt, match.gameMode, match.patchVersion, match.contentHash];
}
