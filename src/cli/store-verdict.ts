/** What `matchbook verify` stores with a shard, for servers and `matchbook doctor`. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { MANIFEST } from "../backup/manifest.ts";
import { formatTimestamp } from "../domain/time.ts";
import type { Settings } from "../settings/definitions.ts";
import { type Findings, StoreError, type Verdict } from "../store/store.ts";
import { note } from "./command.ts";
import { withShards } from "./shard-store.ts";
import { describeError } from "./system-errors.ts";

/**
 * A verify that was not complete, and has found nothing, is no verdict. A backup stays as it is. Also reports what the WAL
 * of the shard has lost, which a verdict without damage ends.
 */
export async function storeVerdict(
  settings: Settings,
  id: string,
  { damaged, damage, isComplete }: Omit<Verdict, "at"> & { isComplete: boolean },
): Promise<void> {
  if (existsSync(join(settings.data, MANIFEST))) return;
  const verdict = { at: Date.now(), damaged, damage };
  try {
    await withShards(
      { ...settings, withUnredacted: true },
      async (shards) => {
        const writer = shards.writer(id, true);
        reportWal(id, await writer.findings());
        if (damaged === 0 && !isComplete) return;
        await writer.write(async (transaction) => transaction.setVerdict(verdict));
      },
      "write",
    );
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    note(`${id}: the result is not stored for servers and doctor: ${describeError(error)}`);
  }
}

function reportWal(id: string, { wal }: Findings): void {
  if (!wal) return;
  note(
    `${id}: its WAL was damaged when it was opened at ${formatTimestamp(wal.at)}: ${wal.commits} commits that follow the damage are lost. Send the records of the last minutes before the crash again.`,
  );
}
