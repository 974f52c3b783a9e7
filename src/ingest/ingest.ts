/** Ingests match documents: sources, chunks, records, batches, report. Says if a source is damaged or truncated. */

import { stateDocument } from "../document/shard-state.ts";
import type { JsonObject } from "../domain/json.ts";
import type { Shards } from "../store/shards.ts";
import type { Writer } from "../store/store.ts";
import { chunks, type DocumentChunk, type Source, type SourceFailure } from "./chunks.ts";
import { applyBatch } from "./commit-batch.ts";
import { commitStates } from "./commit-state.ts";
import { received } from "./prepare.ts";
import { readAhead } from "./read-ahead.ts";
import type { ChunkContext, Incoming } from "./read-chunk.ts";
import { ReaderPool } from "./reader-pool.ts";
import type { Origin, Rejection } from "./records.ts";
import { addTo, emptyReport, isComplete, type Report } from "./report.ts";
import { type RetryOptions, retried } from "./retry.ts";

export interface IngestOptions {
  /** The writer of a shard, which is created if necessary. */
  writer: (shard: string) => Writer;
  context: ChunkContext;
  clock: () => number;
  replace: boolean;
  /** Records per transaction. */
  batch: number;
  /** How many threads read large inputs, in addition to the one that stores; 0: none. */
  threads: number;
  /** Earlier records may not be stored yet. */
  onRejection: (rejection: Rejection) => void;
  onConflict: (id: string, shard: string, origin: Origin) => void;
  onProgress: (report: Report) => void;
  /** Whether to wait for an unavailable database; without it, ingest ends there. */
  patience?: RetryOptions;
  /** Called when a source breaks off, with the reason in words; without it, that counts as a rejection. */
  onBreak?: (error: SourceFailure["error"], fault: string) => void;
}

/** More threads would only wait for the one that stores. On a single core, none is a gain. */
const MOST_THREADS = 4;
const CORES = navigator.hardwareConcurrency;

/** What every ingest takes from the settings and the machine. */
export function ingestOptions(
  settings: { batch: number; "title-id": string; "max-record-bytes": number },
  shards: Shards,
  shard?: string,
) {
  return {
    writer: (id: string) => shards.writer(id),
    clock: Date.now,
    batch: settings.batch,
    replace: false,
    threads: CORES > 1 ? Math.min(CORES, MOST_THREADS) : 0,
    context: {
      shard,
      shards: shards.allowed,
      titleId: settings["title-id"],
      longest: settings["max-record-bytes"],
    },
  };
}

/** Batches also end by size, so that memory stays bounded. */
const BATCH_BYTES = 64 << 20;

/** What waits for its transaction. */
type Pending = Incoming & { source: string };

/** Ingests all sources, one after another. Everything counted in the report is durable. */
export async function ingest(sources: Iterable<Source>, options: IngestOptions): Promise<Report> {
  const report = emptyReport();
  const readers = new ReaderPool(options.context, options.threads);
  let batch: Pending[] = [];
  let batchBytes = 0;
  // Where what pruned matches left behind was last found: a cutoff has to follow.
  const unfinished = new Map<string, Origin>();

  const read = async (chunk: DocumentChunk) => ({ chunk, contents: await readers.read(chunk) });
  const reject = (rejection: Rejection) => {
    report.rejected += 1;
    options.onRejection(rejection);
  };
  const flush = async () => {
    const records = batch;
    batch = [];
    batchBytes = 0;
    await store(records, report, options, reject);
    options.onProgress(report);
  };

  try {
    const inOrder = readAhead(allChunks(sources, options), read, sizeOf, () => readers.room);
    for await (const { chunk, contents } of inOrder) {
      const { source, failure } = chunk;
      for (const { rejections, incoming } of contents) {
        rejections.forEach(reject);
        for (const one of incoming) {
          // The parts of an export are stored in their order.
          if (batch[0] && batch[0].kind !== one.kind) await flush();
          batch.push({ ...one, source });
          if (one.kind === "base" || one.kind === "kept")
            unfinished.set(one.shard, { source, line: one.line });
          if (one.kind === "pruned") unfinished.delete(one.shard);
          batchBytes += one.bytes;
          if (batch.length >= options.batch || batchBytes >= BATCH_BYTES) await flush();
        }
      }
      if (!failure) continue;
      const { error, line } = failure;
      const fault = faultOf(error);
      // What came before it, and other sources, are ingested.
      if (options.onBreak) options.onBreak(error, fault);
      else reject(rejection({ source, line }, `the rest of ${source} cannot be read: ${fault}`));
    }
  } finally {
    readers.stop();
    // The caller learns what is durable, however it ends.
    options.onProgress(report);
  }
  await flush();
  for (const origin of unfinished.values()) reject(rejection(origin, NO_END));
  return report;
}

async function* allChunks(
  sources: Iterable<Source>,
  { context, clock }: IngestOptions,
): AsyncGenerator<DocumentChunk> {
  for (const source of sources) yield* chunks(source, context.longest, clock);
}

const sizeOf = ({ size }: DocumentChunk) => size;

/**
 * Stores a batch of one kind, in one transaction for each shard. A transaction whose outcome is unknown is repeated,
 * which does no harm: its records may then be counted as duplicates.
 */
async function store(
  batch: Pending[],
  report: Report,
  options: IngestOptions,
  reject: (rejection: Rejection) => void,
): Promise<void> {
  const { writer, replace, patience, onConflict } = options;
  const all = batch
    .filter((one) => one.kind === "record")
    .map(({ source, line, ...prepared }) => ({ ...received(prepared), source, line }));
  for (const [shard, records] of Map.groupBy(all, ({ outline }) => outline.shard)) {
    const accepted = await retried(shard, patience, () =>
      writer(shard).write((transaction) => applyBatch(transaction, records, { replace })),
    );
    addTo(report, accepted);
    for (const [index, { outline, source, line }] of records.entries()) {
      if (accepted.outcomes[index]!.kind !== "conflict") continue;
      onConflict(outline.id, shard, { source, line });
    }
  }
  const states = batch.filter((one) => one.kind !== "record");
  for (const [shard, those] of Map.groupBy(states, (one) => one.shard)) {
    const isTooEarly = those[0]!.kind === "pruned" && !isComplete(report);
    const refusals = isTooEarly
      ? those.map(() => TOO_EARLY)
      : await retried(shard, patience, () => commitStates(writer(shard), shard, those));
    for (const [index, { source, line, ...state }] of those.entries()) {
      const problem = refusals[index];
      if (problem === undefined) continue;
      reject(rejection({ source, line }, problem, JSON.parse(stateDocument(shard, state))));
    }
  }
}

/** Records that could still be fixed may be older than the cutoff, which never moves back. */
const TOO_EARLY =
  "something before this prune cutoff was rejected or in conflict: solve that, then ingest this line again";

const NO_END =
  "the export of this shard has no end, so it failed or was cut off: export it again, and ingest that into an empty shard";

/** What is not a record, or not one that can be read. */
const rejection = (origin: Origin, problem: string, document?: JsonObject): Rejection => ({
  origin,
  problems: [problem],
  document,
  bytes: undefined,
});

const TRUNCATED = ["Z_BUF_ERROR", "ZSTD_error_srcSize_wrong"];

/** The messages of zlib and zstd are about their internals. */
function faultOf({ code, message }: SourceFailure["error"]): string {
  const format = /^Z(STD)?_/.exec(code);
  if (!format) return message;
  return `the ${format[1] ? "zstd" : "gzip"} data is ${TRUNCATED.includes(code) ? "truncated" : "damaged"} (${message}); send an intact copy`;
}
