/**
 * Builds what a shard of an earlier version lacks: the statistics of actors over the matches that it has. In short
 * transactions between which others may write; one that was interrupted is continued by the next.
 */

import type { Writer } from "../store/store.ts";
import { countNext } from "./count-actors.ts";

/** Matches per transaction. */
const STEP = 200;

export interface BuildOptions {
  step?: number;
  /** The pause after each transaction, as a multiple of the time it took: other writers get their turn. */
  rest?: number;
  /** Called at the beginning and after each transaction with the matches that are counted, and all there are. */
  onProgress?(done: number, total: number): void;
  /** Aborting it ends the build after the current transaction. */
  signal?: AbortSignal;
}

/** Whether nothing is left to build. */
export const areInsightsBuilt = (writer: Pick<Writer, "survey">): Promise<boolean> =>
  writer.survey(async (state) => (await state.lastCounted()) === undefined);

/** Returns how many matches were counted. */
export async function buildInsights(
  writer: Writer,
  { step = STEP, rest = 0, onProgress, signal }: BuildOptions = {},
): Promise<number> {
  const last = await writer.survey(async (state) => state.lastCounted());
  if (last === undefined) return 0;
  const { served: total } = await writer.counts();
  const { served: before } = await writer.countOlder(last.createdAt);
  let counted = 0;
  onProgress?.(before, total);
  for (let isOver = false; !isOver && !signal?.aborted; ) {
    const began = performance.now();
    const some = await writer.write((transaction) => countNext(transaction, step));
    counted += some;
    isOver = some < step;
    onProgress?.(isOver ? total : Math.min(before + counted, total), total);
    if (!isOver) await Bun.sleep(rest * (performance.now() - began));
  }
  return counted;
}
