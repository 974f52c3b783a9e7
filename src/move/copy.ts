/**
 * Copies records from one shard's store to another. What a shard holds is a function of the set of its
 * records, so a copy is an ingest of them: players, teams and everything else follow by the same rules.
 */

import { commitBatch } from "../ingest/commit-batch.ts";
import { restore } from "../ingest/prepare.ts";
import { readAhead } from "../ingest/read-ahead.ts";
import type { ShardContents, ShardRecord, Writer } from "../store/store.ts";
import { readOrExplain, recordBatches } from "./scan.ts";

export interface CopyOptions {
  /** Whether the target may have some of them already. */
  resume: boolean;
  /** Records that are stored in one transaction, at most. */
  batch: number;
  /** How many records of the source are in the target now. */
  onProgress(records: number): void;
}

/** Copies what the target does not have; says how many those were. Throws StoreError. */
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
  /** How many there are, with those that the target has already. */
  records: number;
  arrivals: Arrivals;
}

async function* missing(
  source: ShardContents,
  target: Writer,
  { batch, resume }: CopyOptions,
): AsyncGenerator<Step> {
  for await (const step of recordBatches(source, batch)) {
    // Only where there may be some: the answer has to wait for the step that is being stored.
    const known = resume ? await target.contentHashes(step.map(({ match }) => match.id)) : NONE;
    const wanted = step.filter(({ match }) => !known.has(match.id));
    yield { records: step.length, arrivals: await restored(wanted) };
  }
}

const NONE: ReadonlyMap<string, Uint8Array> = new Map();

/** Reading takes long enough to keep the database at the other end waiting: it gets its share of time. */
const RECORDS_AT_A_TIME = 8;

async function restored(records: readonly ShardRecord[]): Promise<Arrivals> {
  const arrivals: Arrivals = [];
  for (const [index, { match }] of records.entries()) {
    const { outline, encoded } = readOrExplain(`match ${match.id}`, () => restore(match));
    arrivals.push({ outline, encoded, contentHash: match.contentHash });
    if (index % RECORDS_AT_A_TIME === 0) await new Promise(setImmediate);
  }
  return arrivals;
}
