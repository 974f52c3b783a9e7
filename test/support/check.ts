/** Checks a shard for damage, in one pass. */

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
