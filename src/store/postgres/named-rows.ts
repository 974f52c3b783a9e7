/** How the rows of players and teams are selected and verified. */

import { verified } from "../row-checks.ts";
import { DamagedData, type NamedTable } from "../store.ts";
import { NAMED_TABLES, type NamedColumns } from "../tables.ts";
import { selectList } from "./engine.ts";

/** The columns of a table with this alias. */
export const namedColumns = (table: NamedTable, alias: string): string =>
  selectList(NAMED_TABLES[table], alias);

export const NAMED_ROWS: Record<NamedTable, string> = {
  players: `SELECT ${namedColumns("players", "players")} FROM {players} AS players`,
  teams: `SELECT ${namedColumns("teams", "teams")} FROM {teams} AS teams`,
};

/** Throws DamagedData unless the row is whole. */
export const verifyNamed = (table: NamedTable, row: NamedColumns): NamedColumns =>
  verified(NAMED_TABLES[table], row);

/** Of a row that the index by name lists under this name. */
export function verifyNamesake(table: NamedTable, row: NamedColumns, name: string): NamedColumns {
  verifyNamed(table, row);
  if (row.name !== name) throw new DamagedData(table, row.id);
  return row;
}
