/**
 * Moves a shard to another store: exports its records into an ingest of the target while nobody writes to the source,
 * and verifies that both serve the same. What a shard holds is a function of the set of its records, so players, teams
 * and everything else follow.
 */

import { recordDocument } from "../document/record.ts";
import { type IngestOptions, ingest } from "../ingest/ingest.ts";
import { recordsIn as recordsReported } from "../ingest/report.ts";
import type { Bytes } from "../ingest/source.ts";
import {
  type Counts,
  type ShardContents,
  StoreError,
  type Transaction,
  type Writer,
} from "../store/store.ts";
import { type Counted, type Digest, digestOf } from "./digest.ts";
import { exportRecords } from "./export.ts";
import { recordBatches } from "./scan.ts";

export type Phase = "compare" | "copy" | "digest of the source" | "digest of the target";

export interface MoveOptions {
  /** The shard's id, and the location of the target as it may be shown: for messages. */
  shard: string;
  location: string;
  /** Whether to continue an interrupted copy. Otherwise the target must be empty. */
  resume: boolean;
  ingest: Pick<IngestOptions, "batch" | "threads">;
  /** `done` counts towards `total`; `records` is for the rate. */
  onProgress(phase: Phase, total: number, done: number, records: number): void;
}

export interface Moved {
  /** Records copied by this run. */
  copied: number;
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
  const { shard, location } = options;
  const there = recordsIn(await target.counts());
  if (there > 0 && !options.resume) {
    throw new StoreError(
      `${location} is not empty: it has ${there} records. Choose an empty location, or add --resume if it is an interrupted copy of ${shard}`,
    );
  }
  if (there > 0 && (await areOne(source, target))) {
    throw new StoreError(
      `${location} is the current location of ${shard} under another name, or a replica or backup of it. Choose an empty location`,
    );
  }

  // Nothing is written to the source, but the write transaction keeps all other writers waiting.
  const original = await source.write(async (transaction) => {
    const counts = await source.counts();
    const show = (phase: Phase, total: number) => (done: number) =>
      options.onProgress(phase, total, done, done);
    if (there > 0) {
      await checkIsPart(target, transaction, options, show("compare", there));
    }
    const copied = await copyRecords(transaction, target, options, show("copy", recordsIn(counts)));
    const digest = await digestOf(transaction, digesting("digest of the source", counts, options));
    return { copied, side: { digest, counts } };
  });

  const { copied, side } = original;
  const digest = await target.survey((holdings) =>
    digestOf(holdings, digesting("digest of the target", side.counts, options)),
  );
  const copy = { digest, counts: await target.counts() };
  return { copied, source: side, target: copy, isEqual: areEqual(side, copy) };
}

/** Ingests the export of the source, and returns how many records the target lacked. */
async function copyRecords(
  source: ShardContents,
  target: Writer,
  { shard, ingest: { batch, threads } }: MoveOptions,
  onProgress: (records: number) => void,
): Promise<number> {
  const report = await ingest([{ name: shard, bytes: exported(source, shard) }], {
    batch,
    threads,
    writer: () => target,
    // The records are stored already, whatever the settings and the clock say by now; nothing in them is missing.
    context: { shard: undefined, shards: undefined, titleId: "", longest: Number.MAX_SAFE_INTEGER },
    clock: () => Number.MAX_SAFE_INTEGER,
    replace: false,
    onRejection({ document, problems }) {
      const { id } = (document?.data ?? {}) as { id?: unknown };
      if (id === undefined) throw new StoreError(`cannot copy ${shard}: ${problems.join("; ")}`);
      throw new StoreError(
        `match ${id} of ${shard} is not valid by the rules of this version: ${problems.join("; ")}. Replace it with a valid record (matchbook ingest --replace), then retry`,
      );
    },
    // The digests differ then.
    onConflict() {},
    onProgress(soFar) {
      const records = recordsReported(soFar);
      if (records > 0) onProgress(records);
    },
  });
  return recordsReported(report) - report.duplicate - report.conflict;
}

async function* exported(source: ShardContents, shard: string): Bytes {
  for await (const { bytes } of exportRecords(source, { shard, withheld: true })) yield bytes;
}

async function areOne(source: Writer, target: Writer): Promise<boolean> {
  const token = await source.stateToken();
  return token !== undefined && token === (await target.stateToken());
}

function digesting(phase: Phase, counts: Counts, { onProgress }: MoveOptions) {
  const total = counts.served + counts.players + counts.teams;
  return ({ matches, players, teams }: Counted) =>
    onProgress(phase, total, matches + players + teams, matches);
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

/** Throws StoreError unless the source has every record of the target, exactly as it is there. */
async function checkIsPart(
  target: Writer,
  source: Pick<Transaction, "load">,
  { shard, location, ingest: { batch } }: MoveOptions,
  onProgress: (records: number) => void,
): Promise<void> {
  await target.survey(async (contents) => {
    let compared = 0;
    for await (const step of recordBatches(contents, batch)) {
      const originals = new Map<string, string>();
      for (const { match } of await source.load(step.map(({ match: { id } }) => id))) {
        originals.set(match.id, recordDocument(match));
      }
      for (const { match } of step) {
        const original = originals.get(match.id);
        if (original === recordDocument(match)) continue;
        throw new StoreError(
          `${location} is not a copy of ${shard}: its match ${match.id} is ${original ? "different" : "missing"} in ${shard}. Choose an empty location`,
        );
      }
      compared += step.length;
      onProgress(compared);
    }
  });
}
