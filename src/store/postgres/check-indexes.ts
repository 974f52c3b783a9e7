/** Compares the indexes of a shard with their tables. */

import type { TableShape } from "../table.ts";
import { DECLARED } from "../tables.ts";
import type { Connection } from "./session.ts";

/** The planner then reads an index alone if it can, and nothing else if it cannot. */
const BY_INDEX = ["seqscan", "indexscan", "bitmapscan", "sort"];
const BY_TABLE = ["indexonlyscan", "indexscan", "bitmapscan"];

/** Indexes that have more or fewer entries than their table, or others. Within a transaction. */
export async function checkIndexes(
  connection: Connection,
  limit: number,
): Promise<{ table: string; record: string }[]> {
  const found: { table: string; record: string }[] = [];
  for (const table of DECLARED) {
    for (const index of indexesOf(table)) {
      const byIndex = await contentOf(connection, table, index, BY_INDEX);
      const byTable = await contentOf(connection, table, index, BY_TABLE);
      if (byIndex !== byTable) found.push({ table: table.name, record: `index ${index.name}` });
      if (found.length === limit) return found;
    }
  }
  return found;
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

/** The number of entries, and the sum of their hashes. */
async function contentOf(
  connection: Connection,
  { name }: TableShape,
  { on, where }: CheckedIndex,
  disabled: readonly string[],
): Promise<string> {
  const settings = [...new Set([...BY_INDEX, ...BY_TABLE])];
  for (const setting of settings) {
    await connection.rows("SELECT set_config($1, $2, true)", [
      `enable_${setting}`,
      disabled.includes(setting) ? "off" : "on",
    ]);
  }
  const order = disabled === BY_INDEX ? `ORDER BY ${on}` : "";
  const columns = on.replaceAll(/ (ASC|DESC)\b/g, "");
  const [row] = await connection.rows<{ content: string }>(
    `SELECT concat(count(*), ' ', sum(hashtextextended(entry::text, 0))) AS content FROM
       (SELECT ${columns} FROM {${name}} ${where ? `WHERE ${where}` : ""} ${order}) AS entry`,
  );
  return row!.content;
}
