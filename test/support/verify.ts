/** Runs `matchbook verify` within this process. */

import { expect } from "bun:test";
import { type Report, verifyShard } from "../../src/cli/verify.ts";
import { unobserved } from "../../src/observe/events.ts";
import { openShards } from "../../src/open-stores.ts";
import type { Settings } from "../../src/settings/definitions.ts";
import { type Finding, Verification } from "../../src/verify/verify.ts";

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

/** The same in steps of this many rows. `between` is called after each of them, with whether it belongs to the rebuild. */
export async function verifiedInSteps(
  settings: Pick<Settings, "data" | "shards">,
  shard: string,
  rows: number,
  between: (isRebuild: boolean) => Promise<unknown>,
): Promise<Finding[]> {
  let isRebuild = false;
  const afterStep = async () => void (await between(isRebuild));
  const verification = new Verification({ shard, limit: 100, rows, afterStep });
  const shards = openShards(settings, unobserved, undefined, "read");
  try {
    const checker = (await shards.checker(shard, "verify"))!;
    await verification.check(checker);
    await checker.close();
    isRebuild = true;
    const writer = (await shards.existingWriter(shard))!;
    await verification.rebuild((read) => writer.survey(read));
    expect(verification.findings.isComplete).toBe(true);
    return verification.findings.damage;
  } finally {
    await shards.close();
  }
}

/** What is damaged, as "table record". */
export const damageOf = ({ damage }: Pick<Report, "damage">): string[] =>
  damage.map(({ table, record }) => `${table} ${record}`);
