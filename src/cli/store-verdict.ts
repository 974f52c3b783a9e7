/** What `matchbook verify` stores with a shard, for servers and `matchbook doctor`. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { MANIFEST } from "../backup/manifest.ts";
import { formatTimestamp } from "../domain/time.ts";
import type { Settings } from "../settings/definitions.ts";
import type { Shards } from "../store/shards.ts";
import { type Findings, StoreError, type Verdict } from "../store/store.ts";
import { describeError } from "../text/system-errors.ts";
import { hasKeys } from "./backup.ts";
import { note } from "./command.ts";
import { withShards } from "./shard-store.ts";

/**
 * A verify that was not complete, and has found nothing, is no verdict. Also reports what the WAL of the shard has lost,
 * which a verdict without damage ends, unless it is noticed only now.
 */
export async function storeVerdict(
  settings: Settings,
  shards: Shards,
  id: string,
  { damaged, damage, isComplete }: Omit<Verdict, "at"> & { isComplete: boolean },
): Promise<void> {
  const verdict = { at: Date.now(), damaged, damage };
  try {
    if (isCopy(settings) || (damaged === 0 && !isComplete)) {
      const existing = await shards.existingWriter(id);
      if (existing) reportWal(id, await existing.findings());
      return;
    }
    await withShards(
      { ...settings, withUnredacted: true },
      async (writable) => {
        const writer = writable.writer(id, true);
        const known = await writer.findings();
        reportWal(id, known);
        if ((known.wal?.at ?? 0) >= verdict.at) process.exitCode = 1;
        await writer.write(async (transaction) => transaction.setVerdict(verdict));
      },
      "write",
    );
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    note(`${id}: the result is not stored for servers and doctor: ${describeError(error)}`);
  }
}

/** Backups and other copies stay as they are. They have a manifest, or no keys. */
function isCopy(settings: Settings): boolean {
  return !hasKeys(settings) || existsSync(join(settings.data, MANIFEST));
}

function reportWal(id: string, { wal }: Findings): void {
  if (!wal) return;
  note(
    `${id}: its WAL was damaged when it was opened at ${formatTimestamp(wal.at)}: ${wal.commits} commits that follow the damage are lost. Send the records of the last minutes before the crash again.`,
  );
}
