/** Reads the documents of a chunk and prepares their records for storage, in any thread. */

import type { DocumentChunk } from "./chunks.ts";
import { type PreparedRecord, prepareAll } from "./prepare.ts";
import type { ReadState } from "./read-state.ts";
import { type ReadingContext, type Rejection, readDocument } from "./records.ts";

/** A record, or the state of a shard, that is ready to be stored. */
export type Incoming = (({ kind: "record" } & PreparedRecord) | ReadState) & {
  line: number;
  /** Roughly what it takes in memory until it is stored. */
  bytes: number;
};

/** What a document contains. */
export interface DocumentContent {
  rejections: Rejection[];
  incoming: Incoming[];
}

export type ChunkContext = Omit<ReadingContext, "now">;

export function readChunk(
  { source, now, texts }: DocumentChunk,
  context: ChunkContext,
): DocumentContent[] {
  // One stage for all documents and then the next: the code of each stays in the caches of the processor.
  const read = texts.map((text) => readDocument(text, source, { ...context, now }));
  const prepared = prepareAll(read.flatMap(({ records }) => records)).values();
  return read.map(({ records, state, rejections }, at) => {
    const { line, bytes: { length = 0 } = {} } = texts[at]!;
    const bytes = length / (records.length || 1);
    if (state) return { rejections, incoming: [{ ...state, line, bytes }] };
    const incoming = records.map(() => {
      return { kind: "record" as const, ...prepared.next().value!, line, bytes };
    });
    return { rejections, incoming };
  });
}
