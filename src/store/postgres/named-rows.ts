/** How the rows of players and teams are selected and verified. */

import { type NamedRow, type NamedTable, verifyNamed } from "../row-checks.ts";
import { DamagedData } from "../store.ts";

const asNull = (columns: string) => columns.replaceAll(/\w+/g, (column) => `NULL AS ${column}`);

const STANDING = "streak, played, wins, played_ranked, gold";
const SCORES = "ranked_wins, skill_tier::float8 AS skill_tier, win_rate";
/** Of teams. */
const NO_STANDING = asNull(`last_match_id, ${STANDING}, ranked_wins, skill_tier, win_rate`);
const REST = "resource, linked, checksum::float8 AS checksum";

/** A NamedRow. A cast, because bigint arrives as text. */
export const NAMED_COLUMNS: Record<NamedTable, string> = {
  players: `num, id, name, last_match_at::float8 AS last_match_at, last_match_id, ${STANDING}, ${SCORES}, ${REST}`,
  teams: `num, id, name, NULL::float8 AS last_match_at, ${NO_STANDING}, ${REST}`,
};

export const NAMED_ROWS: Record<NamedTable, string> = {
  players: `SELECT ${NAMED_COLUMNS.players} FROM {players} AS players`,
  teams: `SELECT ${NAMED_COLUMNS.teams} FROM {teams} AS teams`,
};

/** Of a row that the index by name lists under this name. */
export function verifyNamesake(table: NamedTable, row: NamedRow, name: string): NamedRow {
  verifyNamed(table, row);
  if (row.name !== name) throw new DamagedData(table, row.id);
  return row;
}
