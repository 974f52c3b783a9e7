/** Reads the documents of a chunk and prepares their records for storage, in any thread. */

import type { DocumentChunk } from "./chunks.ts";
import { type PreparedRecord, prepare } from "./prepare.ts";
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

/** Encoding is the larger part of the work, and not needed for records that a shard has already. */
export function readChunk(
  { source, now, texts }: DocumentChunk,
  context: ChunkContext,
  encode: boolean,
): DocumentContent[] {
  return texts.map((text) => {
    const { records, state, rejections } = readDocument(text, source, { ...context, now });
    const { line } = text;
    const bytes = (text.bytes?.length ?? 0) / (records.length || 1);
    if (state) return { rejections, incoming: [{ ...state, line, bytes }] };
    const prepared = records.map((record) => prepare(record, encode));
    const incoming = prepared.map((one) => ({ kind: "record" as const, ...one, line, bytes }));
    return { rejections, incoming };
  });
}
