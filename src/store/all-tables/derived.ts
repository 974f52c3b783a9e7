/** How far the derived tables are built. A table that is new, or has another version, is built from the served records. */

import { type DerivedRow, derivedRows, incomplete, isRowOf } from "../core/built.ts";
import { ask, create, put, remove, type Steps } from "../steps.ts";
import type { MatchKey } from "../store.ts";
import type { DerivedTable } from "../table.ts";
import { DERIVED } from "../tables.ts";
import { DERIVED_TABLES } from "./declared.ts";

const rowFor = ({ name, derived }: DerivedTable, upTo: MatchKey | undefined): DerivedRow => ({
  name,
  version: derived.version,
  created_at: upTo?.createdAt ?? null,
  id: upTo?.id ?? null,
});

/** The tables of a new shard are complete. */
export const newDerived = (): DerivedRow[] =>
  DERIVED_TABLES.map((table) => rowFor(table, undefined));

/** The names of the derived tables that are not complete. */
export function* unbuilt(): Steps<string[]> {
  return (yield* incomplete(DERIVED_TABLES)).map(({ name }) => name);
}

export const derived = {
  *builtUpTo(): Steps<Map<string, MatchKey | "all">> {
    const rows = yield* derivedRows();
    const current = rows.filter((row) => DERIVED_TABLES.some((table) => isRowOf(row, table)));
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
      yield* ask((engine) => engine.run(`DELETE FROM {${name}} WHERE ${keeps} = 0`));
    }
  },

  setBuiltUpTo: (table: DerivedTable, last: MatchKey | undefined) =>
    put(DERIVED, [rowFor(table, last)]),
};
