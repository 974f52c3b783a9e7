/** Checks a shard's SQLite file for damage, in one pass. */

import { Database } from "bun:sqlite";
import { closeSync, openSync, readSync, writeSync } from "node:fs";
import { SqliteChecker } from "../../src/store/sqlite/check.ts";
import { openReadOnly } from "../../src/store/sqlite/open.ts";

/** What is damaged, as "table record". `between` is called after each step. */
export async function damageIn(
  path: string,
  limit = 500,
  between: () => unknown = () => {},
): Promise<string[]> {
  const checker = new SqliteChecker(openReadOnly(path)!);
  const found: string[] = [];
  try {
    for (;;) {
      const { damage, isLast } = checker.check(limit);
      found.push(...damage.map(({ table, record }) => `${table} ${record}`));
      if (isLast) return found;
      await between();
    }
  } finally {
    checker.close();
  }
}

/** Removes the last entry of an index that has a single page, by its count of entries. */
export function dropLastEntry(path: string, index: string): void {
  const database = new Database(path);
  const { page, size } = database
    .query<{ page: number; size: number }, [string]>(
      `SELECT rootpage AS page, page_size AS size FROM sqlite_schema, pragma_page_size
       WHERE name = ?`,
    )
    .get(index)!;
  database.run("PRAGMA wal_checkpoint(TRUNCATE)");
  database.close();
  const file = openSync(path, "r+");
  const header = Buffer.alloc(5);
  const at = (page - 1) * size;
  readSync(file, header, 0, 5, at);
  if (header[0] !== LEAF_OF_INDEX) throw new Error(`${index} has several pages`);
  header.writeUInt16BE(header.readUInt16BE(3) - 1, 3);
  writeSync(file, header, 0, 5, at);
  closeSync(file);
}

const LEAF_OF_INDEX = 10;
