/** Prunes shards that have a retention, while the server runs. Runs in its own thread. */

import type { Observe } from "../observe/events.ts";
import { prune } from "../prune/prune.ts";
import { DAY_MS } from "../settings/parsers.ts";
import type { ConfiguredShard } from "../settings/shard-locations.ts";
import { readSummary } from "../store/core/summary.ts";
import type { Shards } from "../store/shards.ts";
import { StoreError } from "../store/store.ts";

/** Small and rare, so that readers and other writers hardly notice. */
const STEP = 50;
const REST = 9;

/** Tries every shard once. Aborting `signal` ends it after the current transaction. */
export async function pruneShards(
  shards: Pick<Shards, "reader" | "existingWriter">,
  listed: readonly Pick<ConfiguredShard, "id" | "retentionDays">[],
  observe: Observe,
  signal: AbortSignal,
): Promise<void> {
  for (const { id: shard, retentionDays: days } of listed) {
    if (days === undefined || signal.aborted) continue;
    try {
      const began = performance.now();
      const before = Date.now() - days * DAY_MS;
      const newest = (await (await shards.reader(shard))?.read(readSummary))?.newestMatch;
      const writer = newest === undefined ? undefined : await shards.existingWriter(shard);
      if (newest === undefined || !writer) continue;
      // A clock that is years ahead must not empty the shard.
      if (newest < before) {
        throw new StoreError(
          `every match is older than its retention of ${days} days: check the clock; if it is right, run 'matchbook prune ${shard} --older-than ${days}d'`,
        );
      }
      const { served, withheld } = await prune(writer, before, { step: STEP, rest: REST, signal });
      if (served + withheld === 0) continue;
      const milliseconds = Math.round(performance.now() - began);
      observe({ event: "shard-pruned", shard, before, served, withheld, milliseconds });
    } catch (error) {
      observe({ event: "shard-prune-failed", shard, error });
    }
  }
}
