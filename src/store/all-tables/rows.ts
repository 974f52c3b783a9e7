/** Reads and writes rows of any declared table as they are stored, so that a shard can be verified and rebuilt. */

import { readShard } from "../core/shard.ts";
import { ask, insert, query, type Steps } from "../steps.ts";
import type { NamedTable, RowRange, ShardChanges, StoredRow } from "../store.ts";
import {
  columnIn,
  selectList,
  storedColumns,
  type Table,
  type TableShape,
  type Value,
} from "../table.ts";
import { SHARD } from "../tables.ts";

/** In the order of the key, after a row: as many as there are up to `limit`. Nothing is verified. */
function* inOrder(
  table: TableShape,
  names: readonly string[],
  { after, limit, isReverse = false }: RowRange,
): Steps<StoredRow[]> {
  const { name, key } = table;
  const columns = key.map((column) => `stored.${column}`).join(", ");
  const values = key.map((column, at) => `$${at + 1}::${columnIn(table, column).type}`).join(", ");
  const [sign, direction] = isReverse ? ["<", " DESC"] : [">", ""];
  const order = key.map((column) => `stored.${column}${direction}`).join(", ");
  return yield* query<StoredRow>(
    `SELECT ${selectList(table, "stored", names)} FROM {${name}} AS stored
     ${after ? `WHERE (${columns}) ${sign} (${values})` : ""} ORDER BY ${order} LIMIT ${limit}`,
    after ? key.map((column) => after[column]) : [],
  );
}

export const rows = {
  rows: (table: TableShape, range: RowRange) => inOrder(table, storedColumns(table), range),
  keys: (table: TableShape, range: RowRange) => inOrder(table, table.key, range),

  *rowCount({ name }: TableShape): Steps<number> {
    const [row] = yield* query<{ count: number }>(
      `SELECT count(*)::float8 AS count FROM {${name}}`,
    );
    return row!.count;
  },

  *numbersOf(table: NamedTable, ids: string[]): Steps<Map<string, number>> {
    const found = yield* query<{ num: number; id: string }>(
      `SELECT num, id FROM {${table}} WHERE id = ANY($1::text[])`,
      [ids],
    );
    return new Map(found.map(({ num, id }) => [id, num]));
  },

  *highestNumber(table: NamedTable): Steps<number> {
    const [row] = yield* query<{ num: number | null }>(`SELECT max(num) AS num FROM {${table}}`);
    return row!.num ?? 0;
  },

  copyRows: (table: TableShape, copied: StoredRow[]) => insert(table as Table<StoredRow>, copied),

  *setShard(changes: ShardChanges): Steps<void> {
    const row = yield* readShard();
    yield* ask((engine) => engine.run("DELETE FROM {shard}"));
    yield* insert(SHARD, [{ ...row, ...changes }]);
  },
};

/** By the values of a key. */
export function compareKeys(one: StoredRow, other: StoredRow, key: readonly string[]): number {
  for (const column of key) {
    const order = compareValues(one[column]!, other[column]!);
    if (order !== 0) return order;
  }
  return 0;
}

/** Texts are compared byte by byte. */
function compareValues(one: Value, other: Value): number {
  if (one === other) return 0;
  if (typeof one === "number" && typeof other === "number") return one - other;
  return Buffer.compare(Buffer.from(String(one)), Buffer.from(String(other)));
}
