/** Which derived tables are complete. */

import { query, type Steps } from "../steps.ts";
import { NotReady } from "../store.ts";
import { type DerivedTable, isWhole, type RowIn } from "../table.ts";
import { DERIVED } from "../tables.ts";

export type DerivedRow = RowIn<typeof DERIVED>;

export const isRowOf = (row: DerivedRow, { name, derived }: DerivedTable): boolean =>
  row.name === name && row.version === derived.version;

/** A row that is damaged is left out, so that its table is built again. */
export function* derivedRows(): Steps<DerivedRow[]> {
  const rows = yield* query<DerivedRow>(
    "SELECT name, version, created_at::float8 AS created_at, id, checksum::float8 AS checksum FROM {derived}",
  );
  return rows.filter((row) => isWhole(DERIVED, row));
}

/** Those of these tables that are not complete. */
export function* incomplete(tables: readonly DerivedTable[]): Steps<DerivedTable[]> {
  const complete = (yield* derivedRows()).filter((row) => row.created_at === null);
  return tables.filter((table) => !complete.some((row) => isRowOf(row, table)));
}

/** Throws NotReady until the table is complete. Called before each read for a response. */
export function* requireBuilt(table: DerivedTable): Steps<void> {
  if ((yield* incomplete([table])).length > 0) throw new NotReady(table.name);
}
