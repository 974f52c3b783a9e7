/** Verifies a shard. */

import type { Shards } from "../store/shards.ts";
import type { Damage } from "../store/store.ts";

export interface VerifyOptions {
  quick: boolean;
  /** The share of the time that it may use, up to 1. */
  share: number;
  signal?: AbortSignal;
  /** How many findings to keep. */
  limit: number;
  /** The folder for the copy and the rebuilt shard. */
  scratch: string;
  onProgress?(rows: number): void;
}

export interface Verified {
  rows: number;
  /** How many damaged records there are; `damage` has the first ones. */
  damaged: number;
  damage: Damage[];
  /** Whether everything was compared with a rebuild from the records. */
  isComplete: boolean;
  /** Why not, if it was not only a quick verification. */
  why: string | undefined;
}

/** Undefined if there is no such shard. */
export async function verifyShard(
  shards: Pick<Shards, "existingWriter">,
  id: string,
  options: VerifyOptions,
): Promise<Verified | undefined> {
  const writer = await shards.existingWriter(id);
  if (!writer) return undefined;
  options.signal?.throwIfAborted();
  const damage: Damage[] = [];
  let rows = 0;
  await writer.survey(async (state) => {
    let last: Awaited<ReturnType<typeof state.records>>[number] | undefined;
    try {
      for (;;) {
        const step = await state.records(last, 100);
        rows += step.length;
        last = step.at(-1);
        if (!last) break;
      }
      await state.players("", 10_000);
    } catch (error) {
      const { table, record } = error as { table?: string; record?: unknown };
      if (table === undefined) throw error;
      damage.push({ table, record: String(record), detail: (error as Error).message });
    }
  });
  return { rows, damaged: damage.length, damage, isComplete: damage.length === 0, why: undefined };
}
