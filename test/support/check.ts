/** Checks a shard for damage, in one pass. */

import { Database } from "bun:sqlite";
import { closeSync, openSync, readSync, writeSync } from "node:fs";
import { unobserved } from "../../src/observe/events.ts";
import { openShards } from "../../src/open-stores.ts";
import type { Settings } from "../../src/settings/definitions.ts";
import { SqliteChecker } from "../../src/store/sqlite/check.ts";
import { openReadOnly } from "../../src/store/sqlite/open.ts";
import type { Checker } from "../../src/store/store.ts";

/** What is damaged in a file, as "table record". `between` is called after each step. */
export const damageIn = (
  path: string,
  limit = 500,
  between: () => unknown = () => {},
): Promise<string[]> => damageFound(new SqliteChecker(openReadOnly(path)!), limit, between);

/** What the check of a server finds in a shard on any engine. */
export async function damageAt(
  settings: Settings,
  shard: string,
  limit: number,
  between: () => unknown,
): Promise<string[]> {
  const shards = openShards(settings, unobserved);
  try {
    return await damageFound((await shards.checker(shard))!, limit, between);
  } finally {
    await shards.close();
  }
}

async function damageFound(
  checker: Checker,
  limit: number,
  between: () => unknown,
): Promise<string[]> {
  const found: string[] = [];
  try {
    for (;;) {
      const { damage, isLast } = await checker.check(limit);
      found.push(...damage.map(({ table, record }) => `${table} ${record}`));
      if (isLast) return found;
      await between();
    }
  } finally {
    await checker.close();
  }
}

/** Removes the last entry of an index that has a single page, by its count of entries. */
export function dropLastEntry(path: string, index: string): void {
  changePage(path, index, (page) => page.writeUInt16BE(page.readUInt16BE(3) - 1, 3));
}

/** Makes all values of the first entry null, by the size of its header. */
export function emptyFirstEntry(path: string, index: string): void {
  changePage(path, index, (page) => page.writeUInt8(0, page.readUInt16BE(8) + 1));
}

const LEAF_OF_INDEX = 10;

function changePage(path: string, index: string, change: (page: Buffer) => void): void {
  const database = new Database(path);
  const { number, size } = database
    .query<{ number: number; size: number }, [string]>(
      `SELECT rootpage AS number, page_size AS size FROM sqlite_schema, pragma_page_size
       WHERE name = ?`,
    )
    .get(index)!;
  database.run("PRAGMA wal_checkpoint(TRUNCATE)");
  database.close();
  const file = openSync(path, "r+");
  const page = Buffer.alloc(size);
  readSync(file, page, 0, size, (number - 1) * size);
  if (page[0] !== LEAF_OF_INDEX) throw new Error(`${index} has several pages`);
  change(page);
  writeSync(file, page, 0, size, (number - 1) * size);
  closeSync(file);
}
