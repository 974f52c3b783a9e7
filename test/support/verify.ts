/** Runs `matchbook verify` within this process. */

import { type Report, verifyShard } from "../../src/cli/verify.ts";
import { unobserved } from "../../src/observe/events.ts";
import { openShards } from "../../src/open-stores.ts";
import type { Settings } from "../../src/settings/definitions.ts";

/** The report on one shard, without pauses. */
export async function verified(
  settings: Pick<Settings, "data" | "shards">,
  shard: string,
  quick = false,
): Promise<Report> {
  const shards = openShards(settings, unobserved, undefined, "read");
  try {
    const flags = { fullSpeed: true, limit: "100", ...(quick && { quick }) } as const;
    return (await verifyShard(shards, shard, flags, 100))!;
  } finally {
    await shards.close();
  }
}

/** What is damaged, as "table record". */
export const damageOf = ({ damage }: Report): string[] =>
  damage.map(({ table, record }) => `${table} ${record}`);
