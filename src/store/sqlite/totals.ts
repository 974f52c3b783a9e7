/**
 * The row of the table `shard`: the last change, the prune cutoff, the numbers of matches, players and teams, and the last
 * match that the statistics of actors count.
 */

import type { Database } from "bun:sqlite";
import { BEFORE_ALL } from "../actor-rows.ts";
import { checksum } from "../checksum.ts";
import { DamagedData } from "../store.ts";
import { type Statements, withStatements } from "./statements.ts";

interface ShardRow {
  log_id: string;
  sequence: number;
  pruned_before: number | null;
  matches: number;
  players: number;
  teams: number;
  checksum: number | null;
  /** Null if all matches are counted. */
  counted_at: number | null;
  counted_id: string | null;
}

/** As far as every format with a checksum has them. */
const FIRST_COLUMNS = "log_id, sequence, pruned_before, matches, players, teams, checksum";
const SHARD_ROW = `SELECT ${FIRST_COLUMNS}, counted_at, counted_id FROM shard`;
const EARLIER_ROW = `SELECT ${FIRST_COLUMNS}, NULL AS counted_at, NULL AS counted_id FROM shard`;

/** The last two count only if they are set, so that rows of earlier formats stay as they are. */
const shardChecksum = (row: ShardRow): number =>
  checksum([
    ...[row.log_id, row.sequence, row.pruned_before, row.matches, row.players, row.teams],
    ...(row.counted_at === null ? [] : [row.counted_at, row.counted_id]),
  ]);

/** Throws DamagedData unless the row is whole. */
export function readShard(database: Statements): ShardRow {
  const row = database.row<ShardRow>(SHARD_ROW);
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
    `UPDATE shard SET sequence = ?, pruned_before = ?, matches = ?, players = ?, teams = ?, counted_at = ?,
       counted_id = ?, checksum = ?`,
    row.sequence,
    row.pruned_before,
    row.matches,
    row.players,
    row.teams,
    row.counted_at,
    row.counted_id,
    sum,
  );
}

/** Part of a migration: the row has no checksum yet. */
export function fillShardChecksum(database: Database): void {
  withStatements(database, (statements) => {
    const row = statements.row<ShardRow>(EARLIER_ROW)!;
    statements.run("UPDATE shard SET checksum = ?", shardChecksum(row));
  });
}

/** Part of a migration: no match is counted yet. A damaged row stays as it is. */
export function markUncounted(database: Database): void {
  withStatements(database, (statements) => {
    const row = statements.row<ShardRow>(SHARD_ROW);
    if (!row || !isWholeShard(row) || row.matches === 0) return;
    writeShard(statements, { ...row, counted_at: BEFORE_ALL.createdAt, counted_id: BEFORE_ALL.id });
  });
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
