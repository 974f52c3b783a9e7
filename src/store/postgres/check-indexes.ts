/** Compares the indexes of a shard with their tables. */

import { DECLARED } from "../all-tables/declared.ts";
import type { TableShape } from "../table.ts";
import type { Connection } from "./session.ts";

/** What the planner may not use. */
const SETTINGS = ["seqscan", "indexscan", "indexonlyscan", "bitmapscan", "sort"];
/** It then reads an index alone, in its order. */
const BY_INDEX = ["seqscan", "indexscan", "bitmapscan", "sort"];
const BY_TABLE = ["indexscan", "indexonlyscan", "bitmapscan"];

interface Entries {
  table: string;
  index: string;
  /** The number of entries, and the sum of their hashes. */
  content: string;
}

/** Indexes that have more or fewer entries than their table, or others. Within a transaction. */
export async function checkIndexes(
  connection: Connection,
  limit: number,
): Promise<{ table: string; record: string }[]> {
  const byTable = await entriesIn(connection, BY_TABLE);
  const byIndex = await entriesIn(connection, BY_INDEX);
  return byIndex
    .filter(({ content }, at) => content !== byTable[at]!.content)
    .map(({ table, index }) => ({ table, record: `index ${index}` }))
    .slice(0, limit);
}

async function entriesIn(connection: Connection, disabled: readonly string[]): Promise<Entries[]> {
  const set = SETTINGS.map(
    (name) => `set_config('enable_${name}', '${disabled.includes(name) ? "off" : "on"}', true)`,
  );
  // What is disabled has a very high cost, which would trigger JIT compilation.
  await connection.rows(`SELECT set_config('jit', 'off', true), ${set.join(", ")}`);
  const entries: Entries[] = [];
  for (const table of DECLARED) {
    for (const index of indexesOf(table)) {
      const content = await contentOf(connection, table, index, disabled === BY_INDEX);
      entries.push({ table: table.name, index: index.name, content });
    }
  }
  return entries;
}

interface CheckedIndex {
  name: string;
  on: string;
  where?: string;
}

function indexesOf({ name, key, number, indexes }: TableShape): CheckedIndex[] {
  const keys =
    number === undefined || key[0] === number ? [key.join(", ")] : [number, key.join(", ")];
  return [...keys.map((on) => ({ name: `${name} (${on})`, on })), ...indexes];
}

async function contentOf(
  connection: Connection,
  { name }: TableShape,
  { on, where }: CheckedIndex,
  isInOrder: boolean,
): Promise<string> {
  const columns = on.replaceAll(/ (ASC|DESC)\b/g, "");
  const [row] = await connection.rows<{ content: string }>(
    `SELECT concat(count(*), ' ', sum(hashtextextended(entry::text, 0))) AS content FROM
       (SELECT ${columns} FROM {${name}} ${where ? `WHERE ${where}` : ""}
        ${isInOrder ? `ORDER BY ${on}` : ""}) AS entry`,
  );
  return row!.content;
}
