/**
 * Moves a shard to another store: rebuilds it there while nobody writes to the source, and verifies that both serve the same.
 * The change log goes with it, so that those who follow it go on.
 */

import { rebuild, takeOverLog } from "../rebuild/rebuild.ts";
import { DECLARED } from "../store/all-tables/declared.ts";
import {
  type Counts,
  DamagedData,
  type StoredState,
  StoreError,
  type Writer,
} from "../store/store.ts";
import type { TableShape } from "../store/table.ts";
import { DERIVED, SHARD } from "../store/tables.ts";
import { type Counted, type Digest, digestOf } from "./digest.ts";

export interface MoveOptions {
  /** The shard's id, and the location of the target as it may be shown: for messages. */
  shard: string;
  location: string;
  onProgress(done: number, total: number, phase: string): void;
}

export type Moved = Awaited<ReturnType<typeof move>>;

/** What a store contains at the end. */
export interface Side {
  digest: Digest;
  counts: Counts;
}

/** Throws StoreError when the target cannot take the shard, when a store fails, and when something is damaged. */
export async function move(source: Writer, target: Writer, options: MoveOptions) {
  if (!(await target.survey(isEmpty))) {
    throw new StoreError(
      `${options.location} is not empty: choose an empty location. If it has an earlier copy of ${options.shard}, delete that first`,
    );
  }

  // Nothing is written to the source, but the write transaction keeps all other writers waiting. If the target were the
  // same shard under another name, it would wait too, and fail.
  const original = await source.write(async (transaction) => {
    const counts = await source.counts();
    await rebuild(transaction, target, {
      shard: options.shard,
      onDamage(table, record) {
        throw new DamagedData(table, record);
      },
      onProgress: (done) => options.onProgress(done, recordsIn(counts), "copy"),
    });
    await takeOverLog(transaction, target);
    const digest = await digestOf(transaction, digesting("digest of the source", counts, options));
    return { digest, counts };
  });

  const digest = await target.survey((holdings) =>
    digestOf(holdings, digesting("digest of the target", original.counts, options)),
  );
  const copy = { digest, counts: await target.counts() };
  return { source: original, target: copy, isEqual: areEqual(original, copy) };
}

/** Whether a store has nothing but what a new one has. */
async function isEmpty(state: StoredState): Promise<boolean> {
  const ofNew: readonly TableShape[] = [SHARD, DERIVED];
  for (const table of DECLARED.filter((one) => !ofNew.includes(one))) {
    if ((await state.rowCount(table)) > 0) return false;
  }
  return true;
}

function digesting(phase: string, counts: Counts, { onProgress }: MoveOptions) {
  const total = counts.served + counts.players + counts.teams;
  return ({ matches, players, teams }: Counted) =>
    onProgress(matches + players + teams, total, phase);
}

/** Records, served and withheld. */
export function recordsIn({ served, withheld }: Counts): number {
  return Object.values(withheld).reduce((sum, count) => sum + count, served);
}

/** Ignores sizes on disk. */
function areEqual(one: Side, other: Side): boolean {
  const compared = ({ digest, counts: { bytes: _, ...counts } }: Side) => ({ digest, counts });
  return Bun.deepEquals(compared(one), compared(other));
}
