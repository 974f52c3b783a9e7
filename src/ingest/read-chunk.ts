/** Reads the documents of a chunk and prepares their records for storage, in any thread. */

import type { DocumentChunk } from "./chunks.ts";
import { type PreparedRecord, prepare } from "./prepare.ts";
import { type ReadingContext, type Rejection, readDocument } from "./records.ts";

/** A record that is ready to be stored. */
export interface IncomingRecord extends PreparedRecord {
  line: number;
  /** Roughly what it takes in memory until it is stored. */
  bytes: number;
}

/** What a document contains. */
export interface DocumentContent {
  rejections: Rejection[];
  records: IncomingRecord[];
}

export type ChunkContext = Omit<ReadingContext, "now">;

/** Encoding is the larger part of the work, and not needed for records that a shard has already. */
export function readChunk(
  { source, now, texts }: DocumentChunk,
  context: ChunkContext,
  encode: boolean,
): DocumentContent[] {
  return texts.map((text) => {
    const { records, rejections } = readDocument(text, source, { ...context, now });
    const bytes = (text.bytes?.length ?? 0) / records.length;
    const prepared = records.map((record) => prepare(record, encode));
    return { rejections, records: prepared.map((one) => ({ ...one, line: text.line, bytes })) };
  });
}
