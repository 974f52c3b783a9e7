/**
 * Moves a shard to another store: rebuilds it there while nobody writes to the source, and verifies that both serve the same.
 * The change log goes with it, so that those who follow it go on.
 */

import { NO_NUMBERS, type RebuildSource, rebuild, takeOverLog } from "../rebuild/rebuild.ts";
import { type Counts, DamagedData, StoreError, type Writer } from "../store/store.ts";
import { SHARD } from "../store/tables.ts";
import { type Counted, type Digest, digestOf } from "./digest.ts";

export type Phase = "copy" | "digest of the source" | "digest of the target";

export interface MoveOptions {
  /** The shard's id, and the location of the target as it may be shown: for messages. */
  shard: string;
  location: string;
  /** Whether the target may have an earlier copy, complete or not, which is made again. Otherwise it must be empty. */
  resume: boolean;
  onProgress(done: number, total: number, phase: Phase): void;
}

export interface Moved {
  source: Side;
  target: Side;
  isEqual: boolean;
}

/** What a store contains at the end. */
export interface Side {
  digest: Digest;
  counts: Counts;
}

/** Throws StoreError when the target cannot take the shard, when a store fails, and when something is damaged. */
export async function move(source: Writer, target: Writer, options: MoveOptions): Promise<Moved> {
  const there = recordsIn(await target.counts());
  if (there > 0 && !options.resume) {
    throw new StoreError(
      `${options.location} is not empty: it has ${there} records. Choose an empty location, or add --resume if it is an earlier copy of ${options.shard}`,
    );
  }

  // Nothing is written to the source, but the write transaction keeps all other writers waiting. If the target were the
  // same shard under another name, it would wait too, and fail.
  const original = await source.write(async (transaction) => {
    const counts = await source.counts();
    await empty(transaction, target, options);
    await rebuild(transaction, target, {
      shard: options.shard,
      onDamage(table, record) {
        throw new DamagedData(table, record);
      },
      onProgress: (done) => options.onProgress(done, recordsIn(counts), "copy"),
    });
    await takeOverLog(transaction, target, await copyToken(transaction));
    const digest = await digestOf(transaction, digesting("digest of the source", counts, options));
    return { digest, counts };
  });

  const digest = await target.survey((holdings) =>
    digestOf(holdings, digesting("digest of the target", original.counts, options)),
  );
  const copy = { digest, counts: await target.counts() };
  return { source: original, target: copy, isEqual: areEqual(original, copy) };
}

const shardRow = async (state: RebuildSource) =>
  (await state.rows(SHARD, { after: undefined, limit: 1 }))[0];

/** What a copy has for the token of its last commit, until something else is written to it. */
const copyToken = async (source: RebuildSource): Promise<string> =>
  `copy:${(await shardRow(source))?.log_id}`;

/** An earlier copy is made again from the beginning. Throws StoreError if the target has anything else. */
async function empty(
  source: RebuildSource,
  target: Writer,
  { shard, location }: MoveOptions,
): Promise<void> {
  const token = await copyToken(source);
  const found = await target.survey(shardRow);
  if (recordsIn(await target.counts()) > 0 && found?.token !== token) {
    throw new StoreError(
      `${location} is not a copy of ${shard} that 'matchbook shards move' has made, or records were added to it. Choose an empty location`,
    );
  }
  await target.write(async (one) => {
    await one.clear();
    await one.setShard({ token });
  }, NO_NUMBERS);
}

function digesting(phase: Phase, counts: Counts, { onProgress }: MoveOptions) {
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
