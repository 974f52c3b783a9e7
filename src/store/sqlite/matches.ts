/** Reads and writes the match tables within a transaction. */

import type { SQLQueryBindings } from "bun:sqlite";
import type { WithheldReason } from "../../domain/visibility.ts";
import type { TransactionState } from "../core/transaction-state.ts";
import { type MatchRow, matchChecksum, snapshotChecksum, withheldChecksum } from "../row-checks.ts";
import {
  fateOf,
  packResult,
  packResults,
  packServed,
  type RecordRow,
  readRecord,
  resultIn,
  rowOf,
  unpackResult,
} from "../row-encoding.ts";
import { type Engine, run } from "../steps.ts";
import {
  DamagedData,
  type Fate,
  type Fragment,
  type HistoryEntry,
  type MatchEntry,
  type MatchKey,
  type ShardRecord,
  type StoredMatch,
  type WithheldEntry,
} from "../store.ts";
import type { NamedTable } from "../tables.ts";
import type { Statements } from "./statements.ts";

const RECORD = "id, created_at, game_mode, patch_version, content_hash";
const SNAPSHOTS = "matches LEFT JOIN match_snapshots ON match_snapshots.match = matches.num";
const SERVED = `SELECT ${RECORD}, results, document, matches.checksum, snapshot,
                  match_snapshots.checksum AS snapshotChecksum, NULL AS reason FROM ${SNAPSHOTS}`;
const WITHHELD = `SELECT ${RECORD}, document, snapshot, reason, checksum FROM withheld`;
const ADD_SERVED = `INSERT INTO matches (${RECORD}, results, document, checksum)
                    VALUES (?, ?, ?, ?, ?, ?, ?, ?)`;
const ADD_WITHHELD = `INSERT INTO withheld (${RECORD}, document, snapshot, reason, checksum)
                      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`;
const ADD_PLAYER =
  "INSERT INTO player_matches (player, created_at, match_id, match, result) VALUES (?, ?, ?, ?, ?)";
const ADD_TEAM =
  "INSERT INTO team_matches (team, created_at, match_id, match, plays) VALUES (?, ?, ?, ?, ?)";

export const MATCH_ROW =
  "SELECT id, created_at, game_mode, patch_version, results, document, checksum FROM matches";

/** Throws DamagedData unless the row is whole. */
export function verifyMatch(row: MatchRow): void {
  if (row.checksum !== matchChecksum(row)) throw new DamagedData("matches", row.id);
}

type ServedRow = MatchRow & RecordRow & { snapshotChecksum: number | null };
type WithheldRow = RecordRow & { checksum: number };

function readServed(row: ServedRow): ShardRecord {
  verifyMatch(row);
  if (row.snapshotChecksum !== snapshotChecksum(row.id, row.snapshot)) {
    throw new DamagedData("match_snapshots", row.id);
  }
  return readRecord(row);
}

function readWithheld(row: WithheldRow): ShardRecord {
  if (row.checksum !== withheldChecksum(row)) throw new DamagedData("withheld", row.id);
  return readRecord(row);
}

/** An entry of `player_matches` or `team_matches`. */
type LinkEntry = [
  number: number,
  createdAt: number,
  matchId: string,
  match: number,
  result: number,
];

const LINKS: Record<NamedTable, string> = { players: "player_matches", teams: "team_matches" };

/** Before every match. */
const BEGINNING: MatchKey = { createdAt: Number.MIN_SAFE_INTEGER, id: "" };

export function matchTables(
  database: Statements,
  engine: Engine,
  { numbers, added, matches: changes }: TransactionState,
) {
  /** Finds the numbers of all players and teams of these matches. */
  function findNumbers(matches: MatchEntry[]): void {
    for (const table of ["players", "teams"] as const) {
      run(
        engine,
        numbers[table].find(matches.flatMap((match) => match[table].map(({ id }) => id))),
      );
    }
  }

  const numberOf = (table: NamedTable, id: string) =>
    (run(engine, numbers[table].known(id)) as number | undefined) ?? null;

  const served = (rest: string, ...values: SQLQueryBindings[]): ShardRecord[] =>
    database
      .get<ServedRow>(`${SERVED} ${rest}`)
      .all(...values)
      .map(readServed);

  const withheld = (rest: string, ...values: SQLQueryBindings[]): ShardRecord[] =>
    database
      .get<WithheldRow>(`${WITHHELD} ${rest}`)
      .all(...values)
      .map(readWithheld);

  /** Rows are read by their numbers: otherwise SQLite takes time and id from the index, and damage stays unseen. */
  function servedAfter(
    { createdAt, id }: MatchKey,
    limit: number,
    before = Number.MAX_SAFE_INTEGER,
  ): ShardRecord[] {
    const entries = database
      .get(
        `SELECT num, created_at, id FROM matches WHERE (created_at, id) > (?, ?) AND created_at < ?
         ORDER BY created_at, id LIMIT ${limit}`,
      )
      .values(createdAt, id, before) as [number, number, string][];
    const nums = JSON.stringify(entries.map(([num]) => num));
    const rows = served("WHERE num IN (SELECT value FROM json_each(?))", nums);
    const records = new Map(rows.map((record) => [record.match.id, record]));
    return entries.map(([, time, matchId]) => {
      const record = records.get(matchId);
      if (record?.match.createdAt !== time) throw new DamagedData("matches", matchId);
      return record;
    });
  }

  const withheldAfter = (id: string, limit: number) =>
    withheld(`WHERE id > ? ORDER BY id LIMIT ${limit}`, id);

  /** Throws DamagedData unless the match of the entry says the same: a wrong one would decide what is stored next. */
  function verifyLink(of: NamedTable, [number, createdAt, matchId, num, result]: LinkEntry): void {
    const match = database.row<MatchRow>(`${MATCH_ROW} WHERE num = ?`, num);
    if (match) verifyMatch(match);
    const isRight =
      match?.id === matchId &&
      match.created_at === createdAt &&
      resultIn(match, of, number) === result;
    if (!isRight) throw new DamagedData(LINKS[of], matchId);
  }

  function addOne(match: MatchEntry): void {
    const { id, createdAt, encoded, carried } = match;
    const players = match.players.map((player) => numbers.players.of(player.id));
    const teams = match.teams.map((team) => numbers.teams.of(team.id));
    const results = packResults(match.players, match.teams);
    const document = packServed(players, teams, encoded);
    const sum = matchChecksum({ ...rowOf(match), results, document });
    const { lastInsertRowid } = database.run(
      ADD_SERVED,
      ...recordValues(match),
      results,
      document,
      sum,
    );
    const num = Number(lastInsertRowid);
    database.run(
      "INSERT INTO match_snapshots (match, snapshot, checksum) VALUES (?, ?, ?)",
      num,
      carried,
      snapshotChecksum(id, carried),
    );
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
    database.run(
      "DELETE FROM match_snapshots WHERE match = (SELECT num FROM matches WHERE id = ?)",
      id,
    );
    added.matches -= database.run("DELETE FROM matches WHERE id = ?", id).changes;
  }

  return {
    known(ids: string[]) {
      const found = new Map<string, { fate: Fate; contentHash: Uint8Array }>();
      const inServed = database.get<{ hash: Uint8Array; reason: null }>(
        "SELECT content_hash AS hash, NULL AS reason FROM matches WHERE id = ?",
      );
      const inWithheld = database.get<{ hash: Uint8Array; reason: WithheldReason }>(
        "SELECT content_hash AS hash, reason FROM withheld WHERE id = ?",
      );
      for (const id of ids) {
        const row = inServed.get(id) ?? inWithheld.get(id);
        if (row) found.set(id, { fate: fateOf(row.reason), contentHash: row.hash });
      }
      return found;
    },

    load: (ids: string[]): ShardRecord[] =>
      ids.flatMap((id) => [...served("WHERE id = ?", id), ...withheld("WHERE id = ?", id)]),

    records(after: { fate: Fate; match: MatchKey } | undefined, limit: number): ShardRecord[] {
      if (after?.fate.state === "withheld") return withheldAfter(after.match.id, limit);
      const found = servedAfter(after?.match ?? BEGINNING, limit);
      const room = limit - found.length;
      return room === 0 ? found : [...found, ...withheldAfter("", room)];
    },

    older(before: number, limit: number): ShardRecord[] {
      const found = servedAfter(BEGINNING, limit, before);
      const room = limit - found.length;
      if (room === 0) return found;
      return [...found, ...withheld(`WHERE created_at < ? LIMIT ${room}`, before)];
    },

    carried(id: string): Fragment | undefined {
      const row = database.row<{ snapshot: Fragment | null; checksum: number | null }>(
        `SELECT snapshot, match_snapshots.checksum FROM ${SNAPSHOTS} WHERE id = ?`,
        id,
      );
      if (!row) return undefined;
      if (row.checksum !== snapshotChecksum(id, row.snapshot)) {
        throw new DamagedData("match_snapshots", id);
      }
      return row.snapshot!;
    },

    addServed(matches: MatchEntry[]): void {
      findNumbers(matches);
      for (const match of matches) addOne(match);
      changes.added(matches);
      added.matches += matches.length;
    },

    removeServed(matches: MatchEntry[]): void {
      findNumbers(matches);
      for (const match of matches) removeOne(match);
      changes.removed(matches);
    },

    addWithheld(matches: WithheldEntry[]): void {
      for (const match of matches) {
        const { encoded: document, carried: snapshot, reason } = match;
        const sum = withheldChecksum({ ...rowOf(match), reason, document, snapshot });
        database.run(ADD_WITHHELD, ...recordValues(match), document, snapshot, reason, sum);
      }
    },

    removeWithheld(ids: string[]): void {
      for (const id of ids) database.run("DELETE FROM withheld WHERE id = ?", id);
    },

    playerHistory(playerId: string, limit: number): HistoryEntry[] {
      // A literal limit: with a parameter, SQLite would prepare the statement again each time.
      const rows = database
        .get(
          `SELECT player, created_at, match_id, match, result FROM player_matches
           WHERE player = ?
           ORDER BY created_at DESC, match_id DESC LIMIT ${limit}`,
        )
        .values(numberOf("players", playerId)) as LinkEntry[];
      return rows.map((entry) => {
        verifyLink("players", entry);
        const [, createdAt, matchId, , result] = entry;
        return { createdAt, matchId, result: unpackResult(result) };
      });
    },

    latestOfTeam(teamId: string): string | undefined {
      const [entry] = database
        .get(
          `SELECT team, created_at, match_id, match, plays FROM team_matches
           WHERE team = ?
           ORDER BY created_at DESC, match_id DESC LIMIT 1`,
        )
        .values(numberOf("teams", teamId)) as LinkEntry[];
      if (entry) verifyLink("teams", entry);
      return entry?.[2];
    },
  };
}

function recordValues(match: StoredMatch): SQLQueryBindings[] {
  return [match.id, match.createdAt, match.gameMode, match.patchVersion, match.contentHash];
}

export const readBytes = (database: Statements): number =>
  database.row<{ bytes: number }>(
    "SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size",
  )!.bytes;
