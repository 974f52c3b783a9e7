/** Verifies shards that were not verified for an interval, while the server runs. Runs in its own thread. */

import type { Observe } from "../observe/events.ts";
import { isVerifyDue } from "../store/core/findings.ts";
import type { ReadableShards, Shards } from "../store/shards.ts";
import {
  StoreError,
  StoreUnavailable,
  type Transaction,
  type VerifyClaim,
} from "../store/store.ts";
import { verifyShard } from "../verify/verify.ts";

/** Of a core. */
const SHARE = 0.25;
/** How many damaged records are reported: the shard has to be repaired anyway. */
const MOST_REPORTED = 20;

/** Whether any shard is to be verified. Those that are unavailable are looked at again later. */
export async function needsVerify(
  shards: Pick<ReadableShards, "list" | "reader" | "findings">,
  intervalMs: number,
): Promise<boolean> {
  for (const id of await shards.list()) {
    try {
      await shards.reader(id);
    } catch {
      // A damaged shard has no reader, but findings.
    }
    if (isVerifyDue(shards.findings(id), Date.now(), intervalMs)) return true;
  }
  return false;
}

interface Verifying {
  /** Reads, also what is damaged. */
  readable: Shards;
  writable: Shards;
  intervalMs: number;
  /** A folder for what is rebuilt. */
  scratch: string;
  observe: Observe;
  signal: AbortSignal;
}

/** Tries every shard once. Aborting the signal ends it soon. */
export async function verifyShards(options: Verifying): Promise<void> {
  for (const shard of await options.readable.list()) {
    if (options.signal.aborted) return;
    try {
      await verifyOne(shard, options);
    } catch (error) {
      if (!options.signal.aborted) options.observe({ event: "verify-failed", shard, error });
    }
  }
}

async function verifyOne(shard: string, options: Verifying): Promise<void> {
  const { readable, writable, scratch, observe, signal } = options;
  const claimed = await claim(shard, options);
  if (!claimed) return;
  const write = async (work: (transaction: Transaction) => Promise<void>) =>
    writable.writer(shard, true).write(work);
  let hasVerdict = false;
  try {
    const began = performance.now();
    const how = { quick: false, share: SHARE, limit: MOST_REPORTED, scratch, signal };
    const result = await verifyShard(readable, shard, how);
    if (!result || signal.aborted) return;
    const { rows, damaged, damage, isComplete, why = "it ended early" } = result;
    for (const { table, record } of damage) {
      observe({ event: "damaged-data", shard, table, record });
    }
    if (damaged === 0 && !isComplete) {
      throw new StoreError(`not everything could be compared with a rebuild: ${why}`);
    }
    const milliseconds = Math.round(performance.now() - began);
    hasVerdict = true;
    const verdict = { at: Date.now(), damaged, damage };
    await write(async (transaction) => transaction.setVerdict(verdict, claimed)).catch((error) =>
      observe({ event: "finding-not-stored", shard, verdict, error }),
    );
    observe({ event: "shard-verified", shard, rows, milliseconds, damaged });
  } finally {
    // It may be tried again, by any process; if this fails, after an interval.
    if (!hasVerdict) await write(async (one) => one.releaseVerify()).catch(() => {});
  }
}

/** If this process is to verify the shard: once for all that use it. */
async function claim(
  shard: string,
  { readable, writable, intervalMs, signal }: Verifying,
): Promise<VerifyClaim | undefined> {
  const existing = await readable.existingWriter(shard);
  if (!existing || signal.aborted) return undefined;
  const now = Date.now();
  try {
    // Most of the time it is not due, and nothing has to be written.
    if (!isVerifyDue(await existing.findings(), now, intervalMs)) return undefined;
    const isOurs = await writable
      .writer(shard, true)
      .write(async (transaction) => transaction.claimVerify(now, intervalMs));
    return isOurs ? { at: now } : undefined;
  } catch (error) {
    if (!(error instanceof StoreError) || error instanceof StoreUnavailable) throw error;
    // Damage, which it is to find.
    return { at: undefined };
  }
}
