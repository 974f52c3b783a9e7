/** The row of the table `shard`: the last change, the prune cutoff, and the numbers of matches, players and teams. */

import type { Database } from "bun:sqlite";
import { randomBytes } from "node:crypto";
import { checksum } from "../checksum.ts";
import { DamagedData } from "../store.ts";
import type { Statements } from "./statements.ts";

interface ShardRow {
  log_id: string;
  sequence: number;
  pruned_before: number | null;
  matches: number;
  players: number;
  teams: number;
  checksum: number;
}

const SHARD_COLUMNS = "log_id, sequence, pruned_before, matches, players, teams, checksum";

const shardChecksum = (row: Omit<ShardRow, "checksum">): number =>
  checksum([row.log_id, row.sequence, row.pruned_before, row.matches, row.players, row.teams]);

/** The row of an empty shard. */
export function insertShard(database: Database): void {
  const row = {
    ...{ log_id: randomBytes(16).toString("hex"), sequence: 0, pruned_before: null },
    ...{ matches: 0, players: 0, teams: 0 },
  };
  const values = [...Object.values(row), shardChecksum(row)];
  database.run(
    `INSERT INTO shard (${SHARD_COLUMNS}) VALUES (${values.map(() => "?").join(", ")})`,
    values,
  );
}

/** Throws DamagedData unless the row is whole. */
export function readShard(database: Statements): ShardRow {
  const row = database.row<ShardRow>(`SELECT ${SHARD_COLUMNS} FROM shard`);
  if (row === null || row.checksum !== shardChecksum(row)) throw new DamagedData("shard", "row 1");
  return row;
}

/** Whether values, wherever they were found, are a whole row. */
export const isWholeShard = (row: Record<keyof ShardRow, unknown>): row is ShardRow =>
  row.checksum === shardChecksum(row as ShardRow);

/** Writes nothing if nothing has changed. */
export function writeShard(database: Statements, row: ShardRow): void {
  const sum = shardChecksum(row);
  if (sum === row.checksum) return;
  database.run(
    "UPDATE shard SET sequence = ?, pruned_before = ?, matches = ?, players = ?, teams = ?, checksum = ?",
    row.sequence,
    row.pruned_before,
    row.matches,
    row.players,
    row.teams,
    sum,
  );
}

/** Rows added and removed by a transaction, written once at its end. */
export class Totals {
  readonly #changes = { matches: 0, players: 0, teams: 0 };

  change(table: "matches" | "players" | "teams", by: number): void {
    this.#changes[table] += by;
  }

  addTo(row: ShardRow): ShardRow {
    const { matches, players, teams } = this.#changes;
    return {
      ...row,
      matches: row.matches + matches,
      players: row.players + players,
      teams: row.teams + teams,
    };
  }

  forget(): void {
    Object.assign(this.#changes, { matches: 0, players: 0, teams: 0 });
  }
}
