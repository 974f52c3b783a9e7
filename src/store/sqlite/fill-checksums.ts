/**
 * The migration from format 4 to 5: fills the checksums of all rows, in short transactions. It
 * continues where it was interrupted. A row that is damaged already gets no checksum, so that it is reported
 * and not served.
 */

import type { Database } from "bun:sqlite";
import { viewOf } from "../byte-range.ts";
import {
  isWholeFragment,
  isWholeMatch,
  isWholeNamed,
  type MatchRow,
  matchChecksum,
  type NamedRow,
  type NamedTable,
  namedChecksum,
  snapshotChecksum,
  withheldChecksum,
} from "../row-checks.ts";
import { type RecordRow, unpackServed } from "../row-encoding.ts";
import type { OnProgress } from "../store.ts";
import { NAMED_ROWS, NO_SCORES, SCORES } from "./players.ts";

const BATCH = 500;

type Values = (number | Uint8Array)[];

interface Step<Row> {
  table: string;
  rows: string;
  update: string;
  /** The values for `update`; undefined if the row is damaged. */
  values(row: Row): Values | undefined;
}

/** `onProgress` is called after each transaction. */
export function fillChecksums(database: Database, onProgress: OnProgress = () => {}): void {
  const steps = [matches(database), snapshots, named("players"), named("teams"), withheld] as Step<{
    rowid: number;
  }>[];
  let total = 0;
  for (const { table } of steps) {
    total += database.query<{ n: number }, []>(`SELECT count(*) AS n FROM ${table}`).get()!.n;
  }
  let done = 0;
  for (const step of steps) {
    const next = database.prepare<{ rowid: number }, [number]>(
      `${step.rows} WHERE ${step.table}.rowid > ? ORDER BY ${step.table}.rowid LIMIT ${BATCH}`,
    );
    const update = database.prepare(`${step.update} WHERE rowid = ?`);
    const fill = database.transaction((after: number): number | undefined => {
      const rows = next.all(after);
      for (const row of rows) {
        const values = "checksum" in row && row.checksum !== null ? undefined : step.values(row);
        if (values) update.run(...values, row.rowid);
      }
      done += rows.length;
      return rows.at(-1)?.rowid;
    });
    for (let last = fill.immediate(0); last !== undefined; last = fill.immediate(last)) {
      onProgress(done, total);
    }
    next.finalize();
    update.finalize();
  }
}

function matches(database: Database): Step<MatchRow & { rowid: number }> {
  const player = database.prepare<{ result: number }, [number, number, string]>(
    "SELECT result FROM player_matches WHERE player = ? AND created_at = ? AND match_id = ?",
  );
  const team = database.prepare<{ result: number }, [number, number, string]>(
    "SELECT plays AS result FROM team_matches WHERE team = ? AND created_at = ? AND match_id = ?",
  );
  return {
    table: "matches",
    rows: `SELECT num AS rowid, id, created_at, game_mode, patch_version, document, checksum
           FROM matches`,
    update: "UPDATE matches SET results = ?, checksum = ?",
    values(row) {
      const players: number[] = [];
      const teams: number[] = [];
      const encoded = viewOf(unpackServed(row.document, players, teams));
      if (!isWholeMatch(encoded)) return undefined;
      const results = [
        ...players.map((num) => player.get(num, row.created_at, row.id)?.result),
        ...teams.map((num) => team.get(num, row.created_at, row.id)?.result),
      ];
      if (results.includes(undefined)) return undefined;
      const filled = { ...row, results: Uint8Array.from(results as number[]) };
      return [filled.results, matchChecksum(filled)];
    },
  };
}

const snapshots: Step<{ rowid: number; id: string | null; snapshot: Uint8Array }> = {
  table: "match_snapshots",
  rows: `SELECT match AS rowid, id, snapshot, match_snapshots.checksum FROM match_snapshots
         LEFT JOIN matches ON num = match`,
  update: "UPDATE match_snapshots SET checksum = ?",
  values: ({ id, snapshot }) =>
    id !== null && isWholeFragment(snapshot) ? [snapshotChecksum(id, snapshot)] : undefined,
};

const named = (table: NamedTable): Step<NamedRow & { rowid: number }> => ({
  table,
  rows: NAMED_ROWS[table]
    .replace("SELECT num", "SELECT num AS rowid, num")
    .replace(`, ${SCORES}`, `, ${NO_SCORES}`),
  update: `UPDATE ${table} SET checksum = ?`,
  values: (row) => (isWholeNamed(row) ? [namedChecksum(row)] : undefined),
});

const withheld: Step<RecordRow & { rowid: number }> = {
  table: "withheld",
  rows: `SELECT rowid, id, created_at, game_mode, patch_version, reason, document, snapshot, checksum
         FROM withheld`,
  update: "UPDATE withheld SET checksum = ?",
  values: (row) =>
    isWholeMatch(row.document) && isWholeFragment(row.snapshot)
      ? [withheldChecksum(row)]
      : undefined,
};
