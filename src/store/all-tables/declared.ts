/** All tables of a shard: those of the core, and those of features. */

import { FEATURES } from "../../features/list.ts";
import type { DerivedTable, TableShape } from "../table.ts";
import { CORE_TABLES } from "../tables.ts";

const FEATURE_TABLES: readonly TableShape[] = FEATURES.flatMap(({ tables = [], derived = [] }) => [
  ...tables,
  ...derived.map(({ table }) => table),
]);

const withAddedIndexes = (table: TableShape): TableShape => {
  const added = FEATURES.flatMap(({ indexes = {} }) => indexes[table.name] ?? []);
  return added.length === 0 ? table : { ...table, indexes: [...table.indexes, ...added] };
};

export const DECLARED: readonly TableShape[] = [
  ...CORE_TABLES.map(withAddedIndexes),
  ...FEATURE_TABLES,
];

/** Those that are built from the records when they are new or have changed. */
export const DERIVED_TABLES: readonly DerivedTable[] = FEATURE_TABLES.filter(
  (table): table is DerivedTable => table.derived !== undefined,
);
