/** In charge of the story of a match: source, document, record, shard, report. */

import type { Keeper } from "../store/store.ts";
import { accept } from "./accept.ts";
import { documents } from "./documents.ts";
import { type Prepared, prepare } from "./prepare.ts";
import {
  type Origin,
  type ReadingContext,
  type ReadRecord,
  type Rejection,
  readDocument,
} from "./records.ts";
import { addTo, emptyReport, type Report } from "./report.ts";
import type { Bytes } from "./source.ts";

export interface Source {
  name: string;
  bytes: Bytes;
}

export interface IngestOptions {
  /** The keeper of a shard, made if need be. */
  keeper: (shard: string) => Keeper;
  context: Omit<ReadingContext, "now">;
  clock: () => number;
  replace: boolean;
  /** How many records make a transaction. */
  batch: number;
  onRejection: (rejection: Rejection) => void;
  onConflict: (id: string, shard: string, origin: Origin) => void;
  onProgress: (report: Report) => void;
}

/** Batches are also ended by size, so that memory stays bounded whatever the records weigh. */
const BATCH_BYTES = 32 << 20;

interface Pending extends Prepared {
  origin: Origin;
}

/** Takes in all sources, one after another. Everything counted in the report is durable. */
export async function ingest(sources: Iterable<Source>, options: IngestOptions): Promise<Report> {
  const report = emptyReport();
  let pending: Pending[] = [];
  let pendingBytes = 0;

  const reject = (rejection: Rejection) => {
    report.rejected += 1;
    options.onRejection(rejection);
  };
  const flush = async () => {
    const batch = pending;
    pending = [];
    pendingBytes = 0;
    for (const [shard, records] of Map.groupBy(batch, ({ record }) => record.shard)) {
      const accepted = await accept(options.keeper(shard), records, { replace: options.replace });
      addTo(report, accepted);
      accepted.outcomes.forEach((outcome, index) => {
        const { record, origin } = records[index]!;
        if (outcome.kind === "conflict") options.onConflict(record.id, shard, origin);
      });
    }
    options.onProgress(report);
  };
  const add = async ({ record, origin }: ReadRecord, bytes: number) => {
    pending.push({ ...prepare(record), origin });
    // Not what it takes compressed: until it is stored, the record itself is held.
    pendingBytes += bytes;
    if (pending.length >= options.batch || pendingBytes >= BATCH_BYTES) await flush();
  };

  for (const source of sources) {
    let line = 1;
    try {
      for await (const text of documents(source.bytes, options.context.longest)) {
        line = text.line;
        const context = { ...options.context, now: options.clock() };
        const read = readDocument(text, source.name, context);
        read.rejections.forEach(reject);
        const bytes = (text.bytes?.length ?? 0) / read.records.length;
        for (const record of read.records) await add(record, bytes);
      }
    } catch (error) {
      // A source that breaks off is reported; what came before it, and other sources, still count.
      if (!isSourceFailure(error)) throw error;
      reject({
        origin: { source: source.name, line },
        problems: [`the rest of ${source.name} cannot be read: ${faultOf(error)}`],
        document: undefined,
        bytes: undefined,
      });
    }
  }
  await flush();
  return report;
}

/** zlib's own words are about its insides. */
function faultOf({ code, message }: Error & { code: string }): string {
  if (!code.startsWith("Z_")) return message;
  return `its gzip is ${code === "Z_BUF_ERROR" ? "cut off" : "damaged"} (${message}); get a whole copy, and send that`;
}

/** Errors of files and of gzip carry a code of the operating system or of zlib. */
function isSourceFailure(error: unknown): error is Error & { code: string } {
  const code = (error as { code?: unknown } | null)?.code;
  return error instanceof Error && typeof code === "string" && /^(E[A-Z]+|Z_[A-Z_]+)$/.test(code);
}
