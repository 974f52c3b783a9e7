/** Repairs a shard: rebuilds it from all records that can be read, and lists the others. */

import { randomBytes } from "node:crypto";
import { NO_NUMBERS, orUndefined, rebuild, takeOverLog } from "../rebuild/rebuild.ts";
import type { ReadableState, ShardRepair } from "../store/repair.ts";
import { type Redaction, StoreError, type Writer } from "../store/store.ts";
import { REDACTIONS, SHARD } from "../store/tables.ts";
import { verifyRows } from "../verify/verify.ts";

/** What could not be restored. */
export interface Loss {
  table: string;
  id: string;
}

/** What is computed again in any case, or copied apart from the records. */
const IS_NO_LOSS = new Set(["file", "changes", "shard", "derived"]);

export async function repair(
  shard: string,
  parts: ShardRepair,
  redactions: readonly Redaction[],
  onProgress: (records: number) => void,
) {
  const target = await parts.open();
  const known = new Set(redactions.map(({ playerId }) => playerId));
  const losses: Loss[] = [];
  const rebuilt = await parts.survey(async (state, unindexed) => {
    const result = await rebuild(state, target, {
      shard,
      redactions,
      unindexed,
      onDamage(table, id) {
        const isKnown = table === REDACTIONS.name && known.has(id);
        const isListed = losses.some((one) => one.table === table && one.id === id);
        if (!isKnown && !isListed && !IS_NO_LOSS.has(table)) losses.push({ table, id });
      },
      onProgress,
    });
    if (losses.length === 0) await takeOverLog(state, target);
    else await startLog(state, target);
    return result;
  });
  const damage = await verifyRows(shard, target);
  if (damage) {
    throw new StoreError(
      `the repaired shard is damaged too (${damage.table} ${damage.record}), and is not used: check the disk and the memory of this machine`,
    );
  }
  return { ...rebuilt, losses, counts: await target.counts() };
}

/** Matches were lost, which no change says: who follows the changes has to begin again. Numbers of commits go on. */
async function startLog(state: ReadableState, target: Writer): Promise<void> {
  const rows = await orUndefined(() => state.rows(SHARD, { after: undefined, limit: 1 }));
  const sequence = Number(rows?.[0]?.sequence) || 0;
  const token = randomBytes(12).toString("base64url");
  await target.write(async (one) => one.setShard({ sequence, token }), NO_NUMBERS);
}

/** How many redactions are lost, and how many records, or what pruned ones left behind. */
export function countLosses(losses: readonly Loss[]): { lost: number; lostRedactions: number } {
  const lostRedactions = losses.filter(({ table }) => table === REDACTIONS.name).length;
  return { lost: losses.length - lostRedactions, lostRedactions };
}
