/** Builds derived tables that are incomplete, while the server runs. Runs in its own thread. */

import { buildDerived } from "../ingest/derived.ts";
import type { Observe } from "../observe/events.ts";
import { unbuilt } from "../store/all-tables/derived.ts";
import type { Shards } from "../store/shards.ts";

/** Others write three quarters of the time. */
const REST = 3;

/** Whether there is anything to build. Shards that are unavailable are looked at again a minute later. */
export async function needsBuild(shards: Pick<Shards, "list" | "reader">): Promise<boolean> {
  for (const id of await shards.list()) if ((await unbuiltIn(shards, id)).length > 0) return true;
  return false;
}

async function unbuiltIn(shards: Pick<Shards, "reader">, id: string): Promise<string[]> {
  try {
    return (await (await shards.reader(id))?.read(unbuilt)) ?? [];
  } catch {
    return [];
  }
}

/** Tries every shard once. Aborting `signal` ends the build after the current transaction. */
export async function buildShards(
  shards: Pick<Shards, "list" | "reader" | "existingWriter">,
  observe: Observe,
  signal: AbortSignal,
): Promise<void> {
  for (const shard of await shards.list()) {
    const tables = signal.aborted ? [] : await unbuiltIn(shards, shard);
    if (tables.length === 0) continue;
    try {
      const writer = (await shards.existingWriter(shard))!;
      observe({ event: "derived-building", shard, tables });
      const began = performance.now();
      const matches = await buildDerived(writer, { rest: REST, signal });
      const milliseconds = Math.round(performance.now() - began);
      if (!signal.aborted) observe({ event: "derived-built", shard, matches, milliseconds });
    } catch (error) {
      observe({ event: "derived-build-failed", shard, error });
    }
  }
}
