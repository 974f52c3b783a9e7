/** How far the derived tables are built. A table that is new, or has another version, is built from the served records. */

import { ask, create, put, query, remove, type Steps } from "../steps.ts";
import { type MatchKey, NotReady } from "../store.ts";
import { type DerivedTable, isWhole, type RowIn } from "../table.ts";
import { DERIVED, DERIVED_TABLES } from "../tables.ts";

type Row = RowIn<typeof DERIVED>;

const TABLES: readonly DerivedTable[] = Object.values(DERIVED_TABLES);

const isOf = (row: Row, { name, derived }: DerivedTable): boolean =>
  row.name === name && row.version === derived.version;

const rowFor = ({ name, derived }: DerivedTable, upTo: MatchKey | undefined): Row => ({
  name,
  version: derived.version,
  created_at: upTo?.createdAt ?? null,
  id: upTo?.id ?? null,
});

/** The tables of a new shard are complete. */
export const newDerived = (): Row[] => TABLES.map((table) => rowFor(table, undefined));

/** A row that is damaged is left out, so that its table is built again. */
function* wholeRows(): Steps<Row[]> {
  const rows = yield* query<Row>(
    "SELECT name, version, created_at::float8 AS created_at, id, checksum::float8 AS checksum FROM {derived}",
  );
  return rows.filter((row) => isWhole(DERIVED, row));
}

/** The names of the derived tables that are not complete. */
export function* unbuilt(): Steps<string[]> {
  const complete = (yield* wholeRows()).filter((row) => row.created_at === null);
  return TABLES.filter((table) => !complete.some((row) => isOf(row, table))).map(
    ({ name }) => name,
  );
}

/** Throws NotReady until the table is complete. Called before each read for a response. */
export function* requireBuilt({ name }: DerivedTable): Steps<void> {
  if ((yield* unbuilt()).includes(name)) throw new NotReady(name);
}

export const derived = {
  *builtUpTo(): Steps<Map<string, MatchKey | "all">> {
    const rows = yield* wholeRows();
    const current = rows.filter((row) => TABLES.some((table) => isOf(row, table)));
    const others = rows.filter((row) => !current.includes(row));
    if (others.length > 0) yield* remove(DERIVED, others);
    return new Map(
      current.map(({ name, created_at, id }) => [
        name,
        created_at === null ? "all" : { createdAt: created_at, id: id! },
      ]),
    );
  },

  *clearDerived(table: DerivedTable): Steps<void> {
    const { name, derived } = table;
    const { keeps } = derived;
    if (keeps === undefined) yield* ask((engine) => engine.run(`DROP TABLE IF EXISTS {${name}}`));
    yield* create(table);
    if (keeps !== undefined) {
      yield* ask((engine) => engine.run(`DELETE FROM {${name}} WHERE NOT (${keeps})`));
    }
  },

  setBuiltUpTo: (table: DerivedTable, last: MatchKey | undefined) =>
    put(DERIVED, [rowFor(table, last)]),
};
