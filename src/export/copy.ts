/**
 * Copies records from one shard's store to another. What a shard holds is a function of the set of its
 * records, so a copy is an ingest of them: players, teams and everything else follow by the same rules.
 */

import { commitBatch } from "../ingest/commit-batch.ts";
import { restore } from "../ingest/prepare.ts";
import { readAhead } from "../ingest/read-ahead.ts";
import { addBases } from "../ingest/update-players.ts";
import type { ShardContents, ShardRecord, Writer } from "../store/store.ts";
import { recordBatches } from "./scan.ts";

export interface CopyOptions {
  /** Whether the target may already have some records. */
  resume: boolean;
  /** Maximum number of records per transaction. */
  batch: number;
  /** Called with the number of source records that are in the target. */
  onProgress(records: number): void;
}

/** Copies what pruned records left behind: it comes before all other records. Throws StoreError. */
export async function copyBases(source: ShardContents, target: Writer): Promise<void> {
  let last = "";
  for (;;) {
    const step = await source.bases(last, BASES_PER_STEP);
    await target.write(async (transaction) => {
      const there = await transaction.basesOf(step.map(({ id }) => id));
      await addBases(
        transaction,
        step.filter(({ id }) => !there.has(id)),
      );
    });
    if (step.length < BASES_PER_STEP) return;
    last = step.at(-1)!.id;
  }
}

const BASES_PER_STEP = 500;

/** Copies the records that the target lacks, and returns their number. Throws StoreError. */
export async function copyRecords(
  source: ShardContents,
  target: Writer,
  options: CopyOptions,
): Promise<number> {
  let there = 0;
  let copied = 0;
  const store = async ({ records, arrivals }: Step) => {
    await commitBatch(target, arrivals, { replace: false });
    return { records, added: arrivals.length };
  };
  const stored = readAhead(
    missing(source, target, options),
    store,
    () => 1,
    () => STEPS_AHEAD,
  );
  for await (const { records, added } of stored) {
    there += records;
    copied += added;
    options.onProgress(there);
  }
  return copied;
}

/** While one step is stored, the next is read. */
const STEPS_AHEAD = 1;

type Arrivals = Parameters<typeof commitBatch>[1][number][];

interface Step {
  /** Number of records, including those that the target already has. */
  records: number;
  arrivals: Arrivals;
}

async function* missing(
  source: ShardContents,
  target: Writer,
  { batch, resume }: CopyOptions,
): AsyncGenerator<Step> {
  for await (const step of recordBatches(source, batch)) {
    // Only if necessary: the query waits for the step that is being stored.
    const known = resume ? await target.contentHashes(step.map(({ match }) => match.id)) : NONE;
    const wanted = step.filter(({ match }) => !known.has(match.id));
    yield { records: step.length, arrivals: await restored(wanted) };
  }
}

const NONE: ReadonlyMap<string, Uint8Array> = new Map();

/** Decoding would keep the target database waiting, so it yields to the event loop. */
const RECORDS_AT_A_TIME = 8;

async function restored(records: readonly ShardRecord[]): Promise<Arrivals> {
  const arrivals: Arrivals = [];
  for (const [index, { match }] of records.entries()) {
    const { outline, encoded } = restore(match);
    arrivals.push({ outline, encoded, contentHash: match.contentHash });
    if (index % RECORDS_AT_A_TIME === 0) await new Promise(setImmediate);
  }
  return arrivals;
}
