/** Verifies shards within this process. */

import { basename, dirname } from "node:path";
import { unobserved } from "../../src/observe/events.ts";
import { openShards } from "../../src/open-stores.ts";
import type { Settings } from "../../src/settings/definitions.ts";
import { StoreError } from "../../src/store/store.ts";
import { type Verified, verifyShard } from "../../src/verify/verify.ts";

export interface Report extends Verified {
  state: "clean" | "damaged" | "unreadable";
}

const EMPTY: Verified = { rows: 0, damaged: 0, damage: [], isComplete: true, why: undefined };

type Place = Pick<Settings, "data" | "shards"> & Partial<Pick<Settings, "keys-database">>;

/** The report on one shard, without pauses. A file in which nothing was committed yet is a clean one. */
export async function verified(settings: Place, shard: string, quick = false): Promise<Report> {
  const shards = openShards(
    { "keys-database": undefined, ...settings, withUnredacted: true },
    unobserved,
    undefined,
    "read",
  );
  try {
    const options = { quick, share: 1, limit: 100, scratch: settings.data };
    const found = (await verifyShard(shards, shard, options)) ?? EMPTY;
    return { ...found, state: found.damaged > 0 ? "damaged" : "clean" };
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    const damage = [{ table: "file", record: error.message, detail: error.message }];
    return {
      state: "unreadable",
      rows: 0,
      damaged: 1,
      damage,
      isComplete: false,
      why: error.message,
    };
  } finally {
    await shards.close();
  }
}

/** What is damaged, as "table record". */
export const damageOf = ({ damage }: Pick<Report, "damage">): string[] =>
  damage.map(({ table, record }) => `${table} ${record}`);

/** The same for the rows and indexes of a file. */
export const damageIn = async (path: string, quick = true): Promise<string[]> =>
  damageOf(await verified({ data: dirname(path), shards: [] }, basename(path, ".db"), quick));
