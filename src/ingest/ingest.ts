/** In charge of the story of a match: source, parcel, record, shard, report. */

import type { Keeper } from "../store/store.ts";
import { accept } from "./accept.ts";
import { ahead } from "./lookahead.ts";
import { type Parcel, parcels, type Source, type SourceFailure } from "./parcels.ts";
import { type Patience, Waiting } from "./patience.ts";
import type { Arrival, ParcelContext } from "./reading.ts";
import type { Origin, Rejection } from "./records.ts";
import { addTo, emptyReport, type Report } from "./report.ts";
import { Readers } from "./threads.ts";

export interface IngestOptions {
  /** The keeper of a shard, made if need be. */
  keeper: (shard: string) => Keeper;
  context: ParcelContext;
  clock: () => number;
  replace: boolean;
  /** How many records make a transaction. */
  batch: number;
  /** How many threads read, beside the one that stores, when there is much to read; 0: none. */
  threads: number;
  /** Records before it may not be stored yet. */
  onRejection: (rejection: Rejection) => void;
  onConflict: (id: string, shard: string, origin: Origin) => void;
  onProgress: (report: Report) => void;
  /** Whether a shard whose database is away is waited for; without it, ingest ends there. */
  patience?: Patience;
  /** Hears of a source that broke off, and why in words; otherwise it counts as a rejection. */
  onBreak?: (error: SourceFailure["error"], fault: string) => void;
}

/** Batches are also ended by size, so that memory stays bounded whatever the records weigh. */
const BATCH_BYTES = 32 << 20;

/** Takes in all sources, one after another. Everything counted in the report is durable. */
export async function ingest(sources: Iterable<Source>, options: IngestOptions): Promise<Report> {
  const report = emptyReport();
  const batch = new Batch();
  const reject = (rejection: Rejection) => {
    report.rejected += 1;
    options.onRejection(rejection);
  };
  const waiting = new Waiting(options.patience);
  const flush = async () => {
    await store(batch.take(), report, options, waiting);
    options.onProgress(report);
  };

  const readers = new Readers(options.context, options.threads);
  const wanted = (arrivals: readonly Arrival[]) => lookUp(arrivals, options, waiting);
  const read = async (parcel: Parcel) => ({ parcel, contents: await readers.read(parcel, wanted) });
  const size = ({ bytes }: Parcel) => bytes.length;
  try {
    const inOrder = ahead(parcelsOf(sources, options), read, size, () => readers.room);
    for await (const { parcel, contents } of inOrder) {
      for (const { rejections, arrivals } of contents) {
        rejections.forEach(reject);
        for (const arrival of arrivals) {
          batch.add({ ...arrival, source: parcel.source });
          if (batch.size >= options.batch || batch.bytes >= BATCH_BYTES) await flush();
        }
      }
      if (!parcel.failure) continue;
      const { error } = parcel.failure;
      if (options.onBreak) options.onBreak(error, faultOf(error));
      else reject(brokenOff(parcel.source, parcel.failure));
    }
  } finally {
    readers.stop();
    // However it ends, what was counted is known.
    options.onProgress(report);
  }
  await flush();
  return report;
}

async function* parcelsOf(
  sources: Iterable<Source>,
  { context, clock }: IngestOptions,
): AsyncGenerator<Parcel> {
  for (const source of sources) yield* parcels(source, context.longest, clock);
}

/** Those whose ids no shard knows; a known one stays as it is, unless replacing was asked for. */
async function lookUp(
  arrivals: readonly Arrival[],
  { keeper, replace }: IngestOptions,
  waiting: Waiting,
): Promise<boolean[]> {
  if (replace) return arrivals.map(() => true);
  const known = new Map<string, ReadonlyMap<string, unknown>>();
  for (const [shard, those] of Map.groupBy(arrivals, ({ outline }) => outline.shard)) {
    const ids = [...new Set(those.map(({ outline }) => outline.id))];
    const look = async () => keeper(shard).contentHashes(ids);
    known.set(shard, await waiting.for(shard, look));
  }
  return arrivals.map(({ outline: { shard, id } }) => !known.get(shard)!.has(id));
}

/** A record that waits for its transaction. */
type Pending = Arrival & { source: string };

/** Records that are to be stored together. */
class Batch {
  #pending: Pending[] = [];
  /** Not what they take compressed: until they are stored, more is held of them. */
  bytes = 0;

  get size(): number {
    return this.#pending.length;
  }

  add(pending: Pending): void {
    this.#pending.push(pending);
    this.bytes += pending.bytes;
  }

  take(): Pending[] {
    const taken = this.#pending;
    this.#pending = [];
    this.bytes = 0;
    return taken;
  }
}

/**
 * Stores a batch, in one transaction for each shard. One whose end nobody could find out about is stored
 * again, which does no harm: its records may then be counted as duplicates.
 */
async function store(
  batch: Pending[],
  report: Report,
  options: IngestOptions,
  waiting: Waiting,
): Promise<void> {
  for (const [shard, records] of Map.groupBy(batch, ({ outline }) => outline.shard)) {
    const { replace } = options;
    const take = () => accept(options.keeper(shard), records, { replace });
    const accepted = await waiting.for(shard, take);
    addTo(report, accepted);
    for (const [at, { outline, source, line }] of records.entries()) {
      if (accepted.outcomes[at]!.kind !== "conflict") continue;
      options.onConflict(outline.id, shard, { source, line });
    }
  }
}

/** A source that breaks off is reported; what came before it, and other sources, still count. */
function brokenOff(source: string, { line, error }: SourceFailure): Rejection {
  return {
    origin: { source, line },
    problems: [`the rest of ${source} cannot be read: ${faultOf(error)}`],
    document: undefined,
    bytes: undefined,
  };
}

/** zlib's own words are about its insides. */
function faultOf({ code, message }: SourceFailure["error"]): string {
  if (!code.startsWith("Z_")) return message;
  return `its gzip is ${code === "Z_BUF_ERROR" ? "cut off" : "damaged"} (${message}); get a whole copy, and send that`;
}
